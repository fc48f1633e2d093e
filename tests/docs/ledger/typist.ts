import { isLeftOut } from "./not-typed.js";
import { type BlockNames, findBlock, findBlocks, type PrintedBlock } from "./printed.js";
import { type TypingTest, typedBy } from "./typed.js";

/** What is done with a command of a block; its place in the block is counted from 0. */
type Work<T> = (command: string, index: number) => Promise<T>;

/** Takes blocks out of pages for a test that types them, and knows at its end what the ledger names and was not typed. */
export class Typist {
  readonly #test: TypingTest;
  readonly #blocks: readonly PrintedBlock[];
  readonly #left: Set<PrintedBlock>;

  constructor(test: TypingTest) {
    this.#test = test;
    this.#blocks = typedBy(test);
    this.#left = new Set(this.#blocks);
  }

  /** Everything that the ledger says this test types. */
  get blocks(): readonly PrintedBlock[] {
    return this.#blocks;
  }

  /**
   * Does something with every command of a block, one after the other: types it.
   *
   * @returns what came of each
   * @throws {Error} The ledger does not say that this test types the block.
   */
  async each<T>(page: string, name: string, work: Work<T>): Promise<T[]> {
    return await this.#type(findBlock(page, name, this.#blocks), work);
  }

  /**
   * Types once what several blocks have in the same words.
   *
   * @throws {Error} They differ, or as in {@link each}.
   */
  async once<T>(names: BlockNames, work: Work<T>): Promise<T[]> {
    const blocks = findBlocks(names, this.#blocks);
    const [first] = blocks;
    if (first === undefined) throw new Error("No block is named.");
    const other = blocks.find(({ commands }) => commands.join("\n") !== first.commands.join("\n"));
    if (other !== undefined)
      throw new Error(`${other.path}:${other.line} differs from ${first.path}:${first.line}`);
    const results = await this.#type(first, work);
    for (const block of blocks) this.#left.delete(block);
    return results;
  }

  /** What a test skips, because this computer lacks what it needs: neither typed nor left. */
  skip(names: BlockNames): void {
    for (const block of findBlocks(names, this.#blocks)) this.#left.delete(block);
  }

  /** The places of what the ledger says this test types, and it has neither typed nor skipped. */
  left(): string[] {
    return [...this.#left].map(({ path, line }) => `${this.#test} has not typed ${path}:${line}`);
  }

  async #type<T>(block: PrintedBlock, work: Work<T>): Promise<T[]> {
    const results: T[] = [];
    for (const [index, command] of block.commands.filter((one) => !isLeftOut(block.path, one)).entries()) {
      // oxlint-disable-next-line no-await-in-loop -- each after the one before, as a person types
      results.push(await work(command, index));
    }
    this.#left.delete(block);
    return results;
  }
}
