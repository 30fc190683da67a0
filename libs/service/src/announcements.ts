import { sql, type QueryExecutorProvider } from 'kysely'

/**
 * At most this many announcements of a service are being repeated at a time, each until webhooks confirms it or it has been repeated more than
 * `repeatsInWindow` times. The number is small, because an announcement has up to ~300 kB.
 */
export const mostRepeated = 200
/**
 * After more repeats than this, an announcement no longer counts for `mostRepeated`. The first repeat beyond this number comes about 20 minutes after
 * the very first.
 */
const repeatsInWindow = 8

/**
 * Takes unconfirmed announcements to repeat: after 10, 20, 40 s and so on up to 5 minutes, later once an hour. `mostRepeated` bounds them, so that
 * NATS does not fill with copies while webhooks is away.
 */
export async function takeDueAnnouncements(
  db: QueryExecutorProvider,
  limit: number,
): Promise<{ id: string; subject: string; body: unknown; pointerNo: number }[]> {
  const { rows } = await sql<{ id: string; subject: string; body: unknown; pointerNo: number }>`
    with again as (
      select id from announcements where pointer_no > 0 and due_at <= now() order by due_at limit ${limit} for update skip locked
    ), room as (
      select ${mostRepeated} - count(*) as "left" from (
        select 1 from announcements where pointer_no > 0 and pointer_no <= ${repeatsInWindow} limit ${mostRepeated}
      ) repeated
    ), fresh as (
      select id from announcements where pointer_no = 0 and due_at <= now() order by due_at
      limit least((select "left" from room), ${limit} - (select count(*) from again)) for update skip locked
    )
    update announcements a set pointer_no = pointer_no + 1,
      due_at = now() + case when pointer_no < ${repeatsInWindow} then least(10 * power(2, pointer_no), 300) else 3600 end * interval '1 second'
    where a.id = any(array(select id from again union all select id from fresh))
    returning a.id, a.subject, a.body, a.pointer_no as "pointerNo"`.execute(db)
  return rows
}

/** Deletes announcements that webhooks has confirmed. */
export async function deleteAnnouncements(db: QueryExecutorProvider, ids: string[]): Promise<void> {
  await sql`delete from announcements where id = any(${ids})`.execute(db)
}
