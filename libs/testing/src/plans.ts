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

/** One scan of a table in a plan that ran: by which index (undefined: none), and how many rows it looked at each time. */
export type Scan = { table: string; index: string | undefined; rows: number; sql: string }

type ScanNode = Node & { 'Index Name'?: string; Plans?: ScanNode[] }

/**
 * A connection that tells the plans of whatever runs on it, as they ran: also those of foreign keys and triggers, which Postgres prepares once
 * per connection and keeps while the tables grow. `settings` are those of the pool that the statements run on. `ownerUrl` is a superuser's.
 */
export async function openPlans<Schema>(
  ownerUrl: string,
  schema: string,
  settings: string,
): Promise<{ of: (work: (db: Kysely<Schema>) => Promise<unknown>) => Promise<Scan[]>; close: () => Promise<void> }> {
  const scans: Scan[] = []
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 1, idleTimeoutMillis: 0, options: `${settings} -c search_path=${schema}` })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    client.on('notice', ({ message = '' }) => {
      const told = /plan:\s*(\{.*)/s.exec(message)?.[1]
      if (told === undefined) return
      const { 'Query Text': sql, Plan } = JSON.parse(told) as { 'Query Text': string; Plan: ScanNode }
      scans.push(...scansIn(Plan, sql))
    })
  })
  const client = await pool.connect()
  await client.query("load 'auto_explain'")
  for (const setting of ['log_min_duration = 0', 'log_nested_statements = on', 'log_analyze = on', 'log_timing = off'])
    await client.query(`set auto_explain.${setting}`)
  await client.query("set auto_explain.log_format = 'json'; set auto_explain.log_level = 'notice'")
  client.release()
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  return {
    async of(work) {
      scans.length = 0
      await work(db)
      return [...scans]
    },
    close: () => db.destroy(),
  }
}

/** A bitmap of an index does not name the table that it is of: the scan above it does. */
function scansIn(node: ScanNode, sql: string, above?: string): Scan[] {
  const kind = node['Node Type']
  const isBitmap = kind === 'Bitmap Heap Scan'
  const table = node['Relation Name'] ?? above
  const below = (node.Plans ?? []).flatMap((plan) => scansIn(plan, sql, isBitmap ? table : undefined))
  if (isBitmap || table === undefined || !/Scan$/.test(kind)) return below
  return [{ table, index: node['Index Name'], rows: rowsOf(node), sql }, ...below]
}
