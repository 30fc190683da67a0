import type pg from 'pg'

/** What one statement of one app cost: its calls, microseconds of execution, bytes of WAL with the full page images in them, and rows. */
export type Statement = {
  app: string
  id: string
  text: string
  calls: number
  microseconds: number
  walBytes: number
  fullPages: number
  rows: number
}

/** Every statement that the apps' roles have executed so far, by pg_stat_statements. The bench's own statements are left out. */
export async function readStatements(database: pg.Client): Promise<Statement[]> {
  const { rows } = await database.query<Record<'app' | 'id' | 'text' | 'calls' | 'ms' | 'wal' | 'pages' | 'rows', string>>(`
    select substr(rolname, 8) as app, queryid::text as id, query as text, sum(calls) as calls, sum(total_exec_time) as ms,
      sum(wal_bytes) as wal, sum(wal_fpi) as pages, sum(rows) as rows
    from pg_stat_statements join pg_roles on pg_roles.oid = userid
    where rolname like 'herald\\_%' group by 1, 2, 3`)
  return rows.map(({ app, id, text, calls, ms, wal, pages, rows: touched }) => ({
    app,
    id,
    text: text.replaceAll(/\s+/g, ' ').trim(),
    calls: Number(calls),
    microseconds: Number(ms) * 1000,
    walBytes: Number(wal),
    fullPages: Number(pages),
    rows: Number(touched),
  }))
}

/** The statements that were executed between two measurements, the dearest first. */
export function statementsBetween(before: Statement[], after: Statement[]): Statement[] {
  const earlier = new Map(before.map((one) => [`${one.app} ${one.id}`, one]))
  return after
    .map((now) => {
      const then = earlier.get(`${now.app} ${now.id}`)
      if (!then) return now
      return {
        ...now,
        calls: now.calls - then.calls,
        microseconds: now.microseconds - then.microseconds,
        walBytes: now.walBytes - then.walBytes,
        fullPages: now.fullPages - then.fullPages,
        rows: now.rows - then.rows,
      }
    })
    .filter(({ calls }) => calls > 0)
    .toSorted((one, other) => other.microseconds - one.microseconds)
}

/** The cost of statements for each push or send, of which there were `times`. `all` is the sum of all statements, `dearest` the twenty-five that took longest. */
export function perThing(statements: Statement[], times: number) {
  const total = (value: 'calls' | 'microseconds' | 'walBytes' | 'fullPages') =>
    statements.reduce((sum, statement) => sum + statement[value], 0) / times
  return {
    all: { calls: total('calls'), microseconds: total('microseconds'), walBytes: total('walBytes'), fullPages: total('fullPages') },
    dearest: statements.slice(0, 25).map(({ app, text, calls, microseconds, walBytes, fullPages, rows }) => ({
      app,
      text: text.slice(0, 240),
      calls: calls / times,
      microseconds: microseconds / times,
      walBytes: walBytes / times,
      fullPages: fullPages / times,
      rows: rows / times,
    })),
  }
}

export type PerThing = ReturnType<typeof perThing>

/** The table as text, with a line for each statement. `thing` is the word for what was counted: push or send. */
export function statementLines({ all, dearest }: PerThing, thing: string): string[] {
  const line = (calls: number, microseconds: number, walBytes: number, text: string) =>
    `${calls.toFixed(4).padStart(10)}${microseconds.toFixed(1).padStart(10)}${walBytes.toFixed(1).padStart(10)}  ${text}`
  return [
    `a ${thing}, by statement (pg_stat_statements; execution alone):`,
    `${'calls'.padStart(10)}${'µs'.padStart(10)}${'WAL bytes'.padStart(10)}`,
    line(all.calls, all.microseconds, all.walBytes, 'all statements'),
    ...dearest.map(({ app, text, calls, microseconds, walBytes }) => line(calls, microseconds, walBytes, `${app}: ${text.slice(0, 100)}`)),
  ]
}
