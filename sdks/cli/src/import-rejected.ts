import { writeFileSync } from 'node:fs'
import type { Herald } from '@herald/node'
import { readRows } from './rows.ts'

type Problem = { row: number; column: string | null; code: string; message: string }

/** Herald keeps no more. */
const mostProblems = 10_000

/**
 * Writes the rejected rows of an import beside its file, as they stand there: mended, they can be imported alone. A second file says why. Both hold
 * what the first file holds, so they are readable by this user alone. Answers what to say about it.
 */
export async function writeRejected(herald: Herald, path: string, { file, format }: { file: string; format: string }): Promise<string[]> {
  const problems = await listProblems(herald, path)
  if (problems.size === 0) return []
  const isCsv = format !== 'jsonl'
  const lines: string[] = []
  for (const { number, text } of readRows(file, isCsv)) {
    const isHeader = isCsv && number === 0
    // Herald counts the rows behind the header from 1.
    if (isHeader || problems.has(isCsv ? number : number + 1)) lines.push(text)
  }
  const rejected = `${file}.rejected${isCsv ? '.csv' : '.jsonl'}`
  const reasons = `${file}.rejected.txt`
  writeFileSync(rejected, `${lines.join('\n')}\n`, { mode: 0o600 })
  const said = [...problems.values()].map(
    ({ row, column, code, message }) => `row ${row}${column === null ? '' : `, ${column}`}: ${message} (${code})`,
  )
  writeFileSync(reasons, `${said.join('\n')}\n`, { mode: 0o600 })
  return [`The rejected rows are in ${rejected}, and why in ${reasons}.`]
}

async function listProblems(herald: Herald, path: string): Promise<Map<number, Problem>> {
  const problems = new Map<number, Problem>()
  for (let cursor: string | null | undefined; cursor !== null && problems.size < mostProblems;) {
    const page: { items: Problem[]; nextCursor: string | null } = await herald.request('GET', `${path}/errors`, {
      query: { limit: 200, cursor },
    })
    for (const problem of page.items) problems.set(problem.row, problem)
    cursor = page.nextCursor
  }
  return problems
}
