import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

/** What a statement did: the pages of tables and indexes it touched, and the tables of which it read more than a few rows without an index. */
export type Looked = { sql: string; pages: number; scanned: string[] }

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Node[]
}

/**
 * Runs work and then each of its statements again under `explain (analyze, buffers)`: what a read costs is what it touches, on any
 * machine and however busy. For reads; a statement that writes would write twice.
 */
export async function looksOf<Schema>(url: string, work: (db: Kysely<Schema>) => Promise<unknown>): Promise<Looked[]> {
  const asked: CompiledQuery[] = []
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  // The database may be dropped while the connection says goodbye.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', () => undefined))
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    log: ({ level, query }) => void (level === 'query' && asked.push(query)),
  })
  try {
    await work(db)
    const looked: Looked[] = []
    for (const { sql, parameters } of [...asked]) {
      if (!/^\s*(select|with)/i.test(sql)) continue
      const { rows } = await db.executeQuery<{ 'QUERY PLAN': [{ Plan: Node }] }>(
        CompiledQuery.raw(`explain (analyze, buffers, format json) ${sql}`, [...parameters]),
      )
      const plan = rows[0]?.['QUERY PLAN'][0].Plan
      if (plan) looked.push({ sql, pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], scanned: scannedBy(plan) })
    }
    return looked
  } finally {
    await db.destroy()
  }
}

/** A first row, or a row of a small partition, may be found sooner without an index. */
const fewRows = 1_000
/** Each time that it is run. */
const rowsOf = (node: Node): number => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)

const scannedBy = (node: Node): string[] => [
  ...(node['Node Type'] === 'Seq Scan' && node['Relation Name'] && rowsOf(node) > fewRows ? [node['Relation Name']] : []),
  ...(node.Plans ?? []).flatMap(scannedBy),
]
