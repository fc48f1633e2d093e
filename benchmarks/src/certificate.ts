import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** A self-signed certificate for 127.0.0.1: `key.pem` and `cert.pem`. */
export function makeCertificate(folder: string): void {
  const names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"];
  const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  execFileSync("openssl", ["req", "-x509", ...key, ...files, ...names], { stdio: "ignore" });
}
