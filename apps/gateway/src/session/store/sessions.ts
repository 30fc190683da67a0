import type { AdminScope } from '@herald/contracts/administration'
import { sql, type Kysely } from 'kysely'
import type { VerifiedAdminKey } from '../../core/verified-key.ts'
import type { Tables } from '../../store/tables.ts'

type Db = Kysely<Tables>

/** For how many seconds a session lasts: without use, and in all. */
export type SessionLife = { idleSeconds: number; wholeSeconds: number }

/**
 * A session that has not ended. When it is not used again it ends at `expiresAt`. That is `leftSeconds` from now by the database's clock. `adminKey`:
 * the administration key that it began with.
 */
export type FoundSession = { id: string; name: string; expiresAt: Date; leftSeconds: number; adminKey: VerifiedAdminKey | undefined }

/** At most this many sessions exist. A further session replaces the one that was not used for longest. */
const mostSessions = 1_000
/** At most this many sign-in links wait to be used. A further link replaces the oldest. */
const mostLinks = 100
export const linkSeconds = 600

const endsAt = ({ idleSeconds, wholeSeconds }: SessionLife) =>
  sql<Date>`least(seen_at + make_interval(secs => ${idleSeconds}), created_at + make_interval(secs => ${wholeSeconds}))`

/** Inserts a session. When there are too many, the one that was not used for longest is deleted. */
export async function insertSession(
  db: Db,
  session: { id: string; idHash: Buffer; name: string; browser: string; tokenHash: Buffer; adminKeyId: string | null },
): Promise<void> {
  await sql`
    delete from sessions where id in (select id from sessions order by seen_at desc offset ${mostSessions - 1})`.execute(db)
  await db
    .insertInto('sessions')
    .values({
      id: session.id,
      id_hash: session.idHash,
      name: session.name,
      browser: session.browser,
      token_hash: session.tokenHash,
      admin_key_id: session.adminKeyId,
    })
    .execute()
}

/**
 * Finds the session with this id and notes its use, so that its idle time begins anew. Undefined when there is none, it has ended, it began under
 * another administration token, or the app of its administration key is deleted.
 */
export async function useSession(
  db: Db,
  { idHash, tokenHash }: { idHash: Buffer; tokenHash: Buffer },
  life: SessionLife,
): Promise<FoundSession | undefined> {
  const { rows } = await sql<{ id: string; name: string; ends_at: Date; left_seconds: number } & KeyOfSession>`
    with used as (
      update sessions set seen_at = now()
      where id_hash = ${idHash} and token_hash = ${tokenHash} and ${endsAt(life)} > now() and ${keyLives}
      returning id, name, admin_key_id, ${endsAt(life)} as ends_at
    )
    select used.*, extract(epoch from ends_at - now())::float8 as left_seconds, k.app_id as key_app, k.name as key_name, k.scopes as key_scopes
    from used left join admin_keys k on k.id = used.admin_key_id`.execute(db)
  const [row] = rows
  return row && { id: row.id, name: row.name, expiresAt: row.ends_at, leftSeconds: row.left_seconds, adminKey: keyOf(row) }
}

/** Keeps an administration key from being revoked until the transaction ends; gives false when it was revoked. */
export async function holdAdminKey(trx: Db, id: string): Promise<boolean> {
  const held = await trx.selectFrom('admin_keys').select('id').where('id', '=', id).forKeyShare().executeTakeFirst()
  return held !== undefined
}

/** Whether a session of an administration key may go on: the key's app is not deleted. A revoked key has taken its sessions with it. */
const keyLives = sql`(admin_key_id is null or exists (
  select from admin_keys k join apps on apps.id = k.app_id where k.id = admin_key_id and apps.deleted_at is null
))`

type KeyOfSession = { admin_key_id: string | null; key_app: string; key_name: string; key_scopes: AdminScope[] }
const keyOf = ({ admin_key_id: keyId, key_app, key_name, key_scopes }: KeyOfSession): VerifiedAdminKey | undefined =>
  keyId === null ? undefined : { keyId, appId: key_app, name: key_name, scopes: new Set(key_scopes) }

export async function sessionLasts(db: Db, { id, tokenHash }: { id: string; tokenHash: Buffer }, life: SessionLife): Promise<boolean> {
  const { rows } =
    await sql`select from sessions where id = ${id} and token_hash = ${tokenHash} and ${endsAt(life)} > now() and ${keyLives}`.execute(db)
  return rows.length > 0
}

/** Deletes a session and gives its name; undefined when there is none. */
export async function deleteSession(db: Db, id: string): Promise<string | undefined> {
  const deleted = await db.deleteFrom('sessions').where('id', '=', id).returning('name').executeTakeFirst()
  return deleted?.name
}

/** At most this many sessions are listed, those that were used last. */
export const mostListed = 200

/** A session as it is listed. `seenAt`: when it was last used, up to a minute late. `keyName`: of the administration key that it began with. */
export type ListedSession = { id: string; name: string; browser: string; createdAt: Date; seenAt: Date; keyName: string | null }

/** Lists the sessions that last, the one that was used last first. */
export async function listSessions(db: Db, tokenHash: Buffer, life: SessionLife): Promise<ListedSession[]> {
  const { rows } = await sql<ListedSession>`
    select id, name, browser, created_at as "createdAt", seen_at as "seenAt",
      (select k.name from admin_keys k where k.id = sessions.admin_key_id) as "keyName"
    from sessions where token_hash = ${tokenHash} and ${endsAt(life)} > now() and ${keyLives}
    order by seen_at desc, id desc limit ${mostListed}`.execute(db)
  return rows
}

/** Deletes at most 100 sessions whose time is over and gives them. */
export async function takeEndedSessions(db: Db, life: SessionLife): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    delete from sessions where id = any(array(
      select id from sessions where ${endsAt(life)} <= now() limit 100 for update skip locked
    ))
    returning id, name`.execute(db)
  return rows
}

/** Inserts a sign-in link, with which one session can begin within ten minutes. Gives when the link expires. */
export async function insertLink(db: Db, link: { codeHash: Buffer; name: string | undefined; tokenHash: Buffer }): Promise<Date> {
  await sql`
    delete from sign_in_links
    where created_at <= now() - make_interval(secs => ${linkSeconds})
      or code_hash in (select code_hash from sign_in_links order by created_at desc offset ${mostLinks - 1})`.execute(db)
  const { rows } = await sql<{ expires_at: Date }>`
    insert into sign_in_links (code_hash, name, token_hash) values (${link.codeHash}, ${link.name ?? null}, ${link.tokenHash})
    returning created_at + make_interval(secs => ${linkSeconds}) as expires_at`.execute(db)
  const [row] = rows
  if (!row) throw new Error('an insert returned nothing')
  return row.expires_at
}

/**
 * Uses a sign-in link up: of two visitors who give the same code at once, one gets the link. Undefined when there is no such link, or it is too old
 * or was made under another administration token.
 */
export async function takeLink(
  db: Db,
  { codeHash, tokenHash }: { codeHash: Buffer; tokenHash: Buffer },
): Promise<{ name: string | undefined } | undefined> {
  const { rows } = await sql<{ name: string | null }>`
    delete from sign_in_links
    where code_hash = ${codeHash} and token_hash = ${tokenHash} and created_at > now() - make_interval(secs => ${linkSeconds})
    returning name`.execute(db)
  const [row] = rows
  return row && { name: row.name ?? undefined }
}
