import { describeAdapter } from "@authz/contract-tests";
import express from "express";
import express4 from "express-4";
import { startExpress } from "./contract-service.js";

describeAdapter("Express 5", (contract) => startExpress(express, contract));
describeAdapter("Express 4.19", (contract) => startExpress(express4, contract));
