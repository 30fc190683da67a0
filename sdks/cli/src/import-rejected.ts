import { rmSync, writeFileSync } from 'node:fs'
import type { Herald } from '@herald/node'
import { listAll } from './list-all.ts'
import { printable } from './printable.ts'
import { readRows } from './rows.ts'

type Problem = { row: number; column: string | null; code: string; message: string }

/** Herald lists at most this many rejected rows of one import. */
const mostProblems = 10_000

/**
 * Copies the rejected rows that Herald lists into a file that can be mended and imported alone, and the reasons into a second. Both are readable by
 * their owner only (personal data). Gives lines to print, none without rejected rows.
 */
export async function writeRejected(
  herald: Herald,
  path: string,
  { file, name, format }: { file: string; name: string; format: string },
): Promise<string[]> {
  const problems = await listProblems(herald, path)
  if (problems.size === 0) return []
  const isCsv = format !== 'jsonl'
  const lines: string[] = []
  for (const { number, text } of readRows(file, isCsv)) {
    const isHeader = isCsv && number === 0
    // Herald numbers rows from 1 without the header, `readRows` from 0. In a CSV file row 0 is the header, so both numbers are equal; without a
    // header Herald's is one larger.
    if (isHeader || problems.has(isCsv ? number : number + 1)) lines.push(text)
  }
  const rejected = `${name}.rejected${isCsv ? '.csv' : '.jsonl'}`
  const reasons = `${name}.rejected.txt`
  writeForOwner(rejected, lines)
  const said = [...problems.values()].map(({ row, column, code, message }) =>
    printable(`row ${row}${column === null ? '' : `, ${column}`}: ${message} (${code})`),
  )
  writeForOwner(reasons, said)
  return [`The rejected rows are in ${rejected}, and why in ${reasons}.`]
}

/** Writes lines into a file that only its owner may read. A file of an earlier import may have wider rights, so it is removed first. */
function writeForOwner(file: string, lines: string[]): void {
  rmSync(file, { force: true })
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
}

async function listProblems(herald: Herald, path: string): Promise<Map<number, Problem>> {
  const problems = await listAll<Problem>(herald, `${path}/errors`, mostProblems)
  return new Map(problems.map((problem) => [problem.row, problem]))
}
