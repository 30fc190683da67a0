import { sql, type QueryExecutorProvider } from 'kysely'

/** A process that holds a piece of work for longer than this has died. A piece is bounded by the time limits of its statements. */
const heldMs = 60_000

/**
 * Makes the sweep of housekeeping; `work` gives how much it found. One process of a service does it at a time. A row of the database says when the
 * next may begin: `everyMs` later, or at once after finding something.
 */
export function openHousework(
  db: QueryExecutorProvider,
  { name, everyMs }: { name: string; everyMs: number },
  work: () => Promise<{ took: number }>,
): () => Promise<{ took: number }> {
  let lookAt = 0
  return async () => {
    if (performance.now() < lookAt) return { took: 0 }
    if (!(await take(db, name))) {
      lookAt = performance.now() + everyMs
      return { took: 0 }
    }
    let took = 0
    try {
      took = (await work()).took
    } finally {
      // Work that failed rests like work that found nothing.
      if (took === 0) lookAt = performance.now() + everyMs
      await rest(db, name, took > 0 ? 0 : everyMs)
    }
    return { took }
  }
}

async function take(db: QueryExecutorProvider, name: string): Promise<boolean> {
  const { rows } = await sql`
    insert into housework (name, next_at) values (${name}, now() + make_interval(secs => ${heldMs / 1_000}))
    on conflict (name) do update set next_at = excluded.next_at where housework.next_at <= now()
    returning name`.execute(db)
  return rows.length > 0
}

const rest = (db: QueryExecutorProvider, name: string, ms: number) =>
  sql`update housework set next_at = now() + make_interval(secs => ${ms / 1_000}) where name = ${name}`.execute(db)
