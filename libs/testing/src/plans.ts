import { keepPlans, settingsForKeptPlans } from '@herald/service/kept-plans'
import { columnTypes } from '@herald/service/postgres'
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

/**
 * The cost of a statement. `pages` is how many pages of tables and indexes it read. `scanned` names the tables of which it read more than 1,000 rows
 * in one scan without an index.
 */
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
 * Runs work, then each of its `select` and `with` statements again under `explain (analyze, buffers)`: the cost is pages read, the same on any
 * machine. Not for statements that write, which would write twice.
 */
export async function looksOf<Schema>(url: string, work: (db: Kysely<Schema>) => Promise<unknown>): Promise<Looked[]> {
  const asked: CompiledQuery[] = []
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  // The database may be dropped while the connection closes.
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

/**
 * A scan without an index may read at most this many rows. Some must be allowed, because Postgres may find the first row of a table, or a row of a
 * small partition, sooner without an index.
 */
const fewRows = 1_000
/** Gives how many rows a node read each time that it ran. */
const rowsOf = (node: Omit<Node, 'Plans'>): number => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)

const scannedBy = (node: Node): string[] => [
  ...(node['Node Type'] === 'Seq Scan' && node['Relation Name'] && rowsOf(node) > fewRows ? [node['Relation Name']] : []),
  ...(node.Plans ?? []).flatMap(scannedBy),
]

/**
 * One scan of a table in the plan of a statement that ran. `index` is undefined when the scan used none. `rows` is how many rows each of its `loops`
 * read, `pages` how many pages all of them read.
 */
export type Scan = { table: string; index: string | undefined; rows: number; loops: number; pages: number; sql: string }

type ScanNode = Omit<Node, 'Plans'> & {
  'Index Name'?: string
  'Actual Loops': number
  'Rows Removed by Index Recheck'?: number
  Plans?: ScanNode[]
}

/**
 * Opens a connection that notes how each statement scans its tables, foreign keys and triggers included. `settings`: those of the service's pool,
 * which may keep plans (`settingsForKeptPlans`). `ownerUrl`: a superuser's, who may load auto_explain.
 */
export async function openPlans<Schema>(
  ownerUrl: string,
  schema: string,
  settings: string,
): Promise<{ db: Kysely<Schema>; of: (work: (db: Kysely<Schema>) => Promise<unknown>) => Promise<Scan[]>; close: () => Promise<void> }> {
  const scans: Scan[] = []
  const options = `${settings} -c search_path=${schema}`
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 1, idleTimeoutMillis: 0, types: columnTypes, options })
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
  for (const setting of ['log_min_duration = 0', 'log_nested_statements = on', 'log_analyze = on', 'log_buffers = on', 'log_timing = off'])
    await client.query(`set auto_explain.${setting}`)
  await client.query("set auto_explain.log_format = 'json'; set auto_explain.log_level = 'notice'")
  client.release()
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: settings.includes(settingsForKeptPlans) ? keepPlans(pool) : pool }),
  })
  return {
    db,
    async of(work) {
      scans.length = 0
      await work(db)
      return [...scans]
    },
    close: () => db.destroy(),
  }
}

/** Gives the scans in a plan. A bitmap scan of an index does not name its table; the scan above it (`above`) does. */
function scansIn(node: ScanNode, sql: string, above?: string): Scan[] {
  const kind = node['Node Type']
  const isBitmap = kind === 'Bitmap Heap Scan'
  const table = node['Relation Name'] ?? above
  const below = (node.Plans ?? []).flatMap((plan) => scansIn(plan, sql, isBitmap || /^Bitmap/.test(kind) ? table : undefined))
  if (isBitmap || table === undefined || !/Scan$/.test(kind) || node['Actual Loops'] === 0) return below
  // A row that is read by its position in the table (ctid) is found as directly as by an index.
  const index = kind === 'Tid Scan' ? 'ctid' : node['Index Name']
  const rows = rowsOf(node) + (node['Rows Removed by Index Recheck'] ?? 0)
  const pages = node['Shared Hit Blocks'] + node['Shared Read Blocks']
  return [{ table, index, rows, loops: node['Actual Loops'], pages, sql }, ...below]
}

/**
 * A piece of work that needs few rows of a large table. One scan may read `rows` rows (50 unless given), or `whileSmall` while the table has at most
 * 900: reading all of these may cost less than many look-ups.
 */
export type Step = { run: () => Promise<unknown>; rows?: number; whileSmall?: number }

/** Describes, in a line each, the scans that used no index or read more rows or pages than allowed. */
export const farLooks = (scans: Scan[], { mostRows }: { mostRows: number }): string[] => [
  ...new Set(
    scans
      .filter(({ index, rows, loops, pages }) => index === undefined || rows * loops > mostRows || pages > pagesFor(mostRows))
      .map(
        ({ table, index, rows, loops, pages, sql }) =>
          `${table} by ${index ?? 'nothing'}: ${rows} rows, ${loops} times, ${pages} pages, in ${sql.replaceAll(/\s+/g, ' ').slice(0, 160)}`,
      ),
  ),
]

/**
 * Gives how many pages a scan of so many rows may read: eight for each row. Four are the way down an index to the row, and four more are allowed for
 * old versions of the row.
 */
const pagesFor = (rows: number): number => 8 * rows

/**
 * Runs steps while the tables grow: empty, 900 rows, 100,000 more, analysed. Gives for each time the scans that read too much and the steps that
 * scanned nothing. After `fixStatistics` the statistics do not show the growth until `analyze`.
 */
export async function lookWhileGrowing<Schema>(
  plans: Awaited<ReturnType<typeof openPlans<Schema>>>,
  steps: Record<string, Step>,
  grow: (count: number) => Promise<unknown>,
): Promise<Record<'empty' | 'few' | 'many' | 'analysed', string[]>> {
  const look = async (times: number, isSmall: boolean): Promise<string[]> => {
    const found = new Set<string>()
    for (let n = 0; n < times; n += 1) {
      for (const [name, { run, rows = 50, whileSmall = rows }] of Object.entries(steps)) {
        const scans = await plans.of(run)
        if (scans.length === 0) found.add(`${name}: looked at nothing`)
        for (const far of farLooks(scans, { mostRows: isSmall ? whileSmall : rows })) found.add(`${name}: ${far}`)
      }
    }
    return [...found]
  }
  const empty = await look(6, true)
  await grow(900)
  const few = await look(1, true)
  await grow(100_000)
  const many = await look(1, false)
  await plans.db.executeQuery(CompiledQuery.raw('analyze'))
  return { empty, few, many, analysed: await look(1, false) }
}

/** Brings the statistics of a schema's tables up to date, and keeps Postgres from changing them later. */
export async function fixStatistics<Schema>(db: Kysely<Schema>, schema: string): Promise<void> {
  const { rows } = await db.executeQuery<{ name: string; kind: string }>(
    CompiledQuery.raw(
      "select quote_ident(relname) as name, relkind as kind from pg_class where relnamespace = $1::regnamespace and relkind in ('r', 'p')",
      [schema],
    ),
  )
  for (const { name, kind } of rows) {
    if (kind === 'r') await db.executeQuery(CompiledQuery.raw(`alter table ${name} set (autovacuum_enabled = false)`))
    await db.executeQuery(CompiledQuery.raw(`vacuum (analyze) ${name}`))
  }
}
