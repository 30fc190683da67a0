import type pg from 'pg'

/**
 * The cost of one statement of one service. `microseconds` is the time of execution. `walBytes` includes full page images, and `fullPages` is the
 * number of these images.
 */
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

/** Reads every statement that the services' roles have executed so far, from pg_stat_statements, without the bench's statements. */
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

/** Gives the statements that were executed between two measurements; those that took longest come first. */
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

/**
 * Divides the cost of statements by `times`, the number of pushes, sends or registrations. `all` is the sum over all statements, `dearest` has the
 * twenty-five that took longest.
 */
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

/** Writes the table as text, with a line for each statement. `thing` is the word for what was counted: push, send or registration. */
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
