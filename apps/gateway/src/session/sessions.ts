import { createHash, randomBytes } from 'node:crypto'
import { sessionEnded } from '@herald/contracts/calls/gateway'
import { Fault, fault } from '@herald/contracts/fault'
import { newId } from '@herald/contracts/ids'
import type { Bus } from '@herald/service/bus'
import { isDatabaseAway, type DatabaseWatch } from '@herald/service/health'
import { transact } from '@herald/service/postgres'
import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import { actorOfKey, ofNoApp } from '../core/audit.ts'
import type { VerifiedAdminKey } from '../core/verified-key.ts'
import { csrfTokenOf, type SignedIn } from '../core/session-door.ts'
import { insertAudit } from '../store/audit.ts'
import {
  deleteSession,
  holdAdminKey,
  insertLink,
  insertSession,
  listSessions,
  sessionLasts,
  takeLink,
  useSession,
  type FoundSession,
  type ListedSession,
  type SessionLife,
} from './store/sessions.ts'
import type { Tables } from '../store/tables.ts'

export type Sessions = {
  /**
   * Finds the session of a cookie; undefined when there is none or it has ended. This counts as a use, so the idle time begins anew. The use of a
   * remembered session is written at most once a minute.
   */
  find(cookie: string): Promise<SignedIn | undefined>
  /** Begins a session. Undefined when the visitor's code is wrong, used, too old or was made under another administration token. */
  begin(visitor: Visitor): Promise<{ cookie: string; session: SignedIn } | undefined>
  makeLink(by: { actor: string; requestId: string }, name: string | undefined): Promise<{ code: string; expiresAt: string }>
  end(session: SignedIn, requestId: string): Promise<void>
  list(): Promise<ListedSession[]>
  /** Ends a session of anybody, at every gateway. Fault: not_found. */
  endById(id: string, by: { actor: string; requestId: string }): Promise<void>
  /**
   * Whether a session still lasts; asking does not count as use. The answer may be 15 s old, but not older than a sign-out that this process has heard
   * of.
   */
  lasts(sessionId: string): Promise<boolean>
  /** Forgets the sessions that began with this administration key, which was revoked, so that they end in this process at once. */
  forgetKey(keyId: string): void
  /** The same for the administration keys of an app that was changed or deleted. */
  forgetApp(appId: string): void
  forgetAll(): void
}

/**
 * A visitor who may begin a session, checked before. `code`: of a sign-in link, then used up. `adminKey`: the key that the visitor gave. Without both
 * the visitor gave the administration token.
 */
export type Visitor = {
  name: string | undefined
  code: string | undefined
  adminKey?: VerifiedAdminKey
  browser: string
  requestId: string
}

/**
 * A gateway remembers a session for this long, then reads it again. So a gateway that missed the broadcast of the session's end still notices the end
 * within this time.
 */
const rememberMs = 60_000
const refusalMs = 10_000
const mostRemembered = 1_000
/** An open stream asks every second whether its session lasts, and the database is asked this often. */
const lastsMs = 14_000

type Known = { session: SignedIn; checkedAt: number; endsAt: number }

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
const newSecret = (): string => randomBytes(32).toString('base64url')

/**
 * Opens the sessions of the dashboard (spec: administration/session). A session is remembered for a minute, and stays valid while the database is
 * away, so that the dashboard can show what is wrong.
 */
export function openSessions(
  { db, watch, bus }: { db: Kysely<Tables>; watch: Pick<DatabaseWatch, 'guard'>; bus: Pick<Bus, 'broadcast' | 'listen'> },
  adminToken: string,
  life: SessionLife,
): Sessions {
  const tokenHash = digest(adminToken)
  const known = new LRUCache<string, Known>({ max: mostRemembered })
  const refused = new LRUCache<string, true>({ max: mostRemembered, ttl: refusalMs })
  const asking = new Map<string, Promise<SignedIn | undefined>>()
  const lasting = new LRUCache<string, true>({ max: mostRemembered, ttl: lastsMs })
  let ends = 0

  const forget = (isMeant: (session: SignedIn) => boolean) => {
    ends += 1
    lasting.clear()
    asking.clear()
    for (const [key, { session }] of known.entries()) if (isMeant(session)) known.delete(key)
  }
  const ended = (id: string) => {
    forget((session) => session.id === id)
    bus.broadcast(sessionEnded, { sessionId: id })
  }
  bus.listen(sessionEnded, ({ sessionId }) => forget(({ id }) => id === sessionId))

  const ask = (cookie: string, key: string): Promise<SignedIn | undefined> => {
    const answer: Promise<SignedIn | undefined> = watch
      .guard(() => useSession(db, { idHash: digest(cookie), tokenHash }, life))
      .then((found) => {
        const session = found && shown(found, cookie)
        // `forget` removes look-ups under way from `asking`: their answers may be older than the end of the session, so they are not remembered.
        if (asking.get(key) !== answer) return session
        if (!found || !session) {
          known.delete(key)
          refused.set(key, true)
          return undefined
        }
        const now = performance.now()
        known.set(key, { session, checkedAt: now, endsAt: now + found.leftSeconds * 1000 })
        return session
      })
      .finally(() => {
        if (asking.get(key) === answer) asking.delete(key)
      })
    asking.set(key, answer)
    return answer
  }

  return {
    forgetKey: (keyId) => forget(({ adminKey }) => adminKey?.keyId === keyId),
    forgetApp: (appId) => forget(({ adminKey }) => adminKey?.appId === appId),
    forgetAll: () => forget(() => true),
    async find(cookie) {
      const key = digest(cookie).toString('base64url')
      const remembered = known.get(key)
      const now = performance.now()
      const lasts = remembered !== undefined && now < remembered.endsAt
      if (lasts && now - remembered.checkedAt < rememberMs) return remembered.session
      if (refused.has(key)) return undefined
      try {
        return await (asking.get(key) ?? ask(cookie, key))
      } catch (error) {
        if (lasts && known.has(key) && isAway(error)) return remembered.session
        throw error
      }
    },
    begin: ({ name: given, code, adminKey, browser, requestId }) =>
      transact(db, async (trx) => {
        const link = code === undefined ? undefined : await takeLink(trx, { codeHash: digest(code), tokenHash })
        if (code !== undefined && !link) return undefined
        if (adminKey && !(await holdAdminKey(trx, adminKey.keyId))) return undefined
        const name = given ?? link?.name ?? (adminKey ? actorOfKey(adminKey.name) : 'administrator')
        const [cookie, id] = [newSecret(), newId()]
        const idHash = digest(cookie)
        await insertSession(trx, { id, idHash, name, browser, tokenHash, adminKeyId: adminKey?.keyId ?? null })
        const by = adminKey ? { by: 'key', keyId: adminKey.keyId } : { by: link ? 'link' : 'token' }
        const subject = { id, ...by, browser }
        await insertAudit(trx, { appId: ofNoApp, actor: name, requestId, action: 'session.begun', subject })
        const found = await useSession(trx, { idHash, tokenHash }, life)
        if (!found) throw new Error('a session ended while it began')
        return { cookie, session: shown(found, cookie) }
      }),
    async makeLink({ actor, requestId }, name) {
      const code = newSecret()
      const expiresAt = await transact(db, async (trx) => {
        await insertAudit(trx, {
          appId: ofNoApp,
          actor,
          requestId,
          action: 'sign-in-link.made',
          subject: name === undefined ? {} : { name },
        })
        return insertLink(trx, { codeHash: digest(code), name, tokenHash })
      })
      return { code, expiresAt: expiresAt.toISOString() }
    },
    async lasts(sessionId) {
      if (lasting.has(sessionId)) return true
      const before = ends
      const still = await watch.guard(() => sessionLasts(db, { id: sessionId, tokenHash }, life))
      // When a session ended meanwhile, the answer may be older than its end.
      if (still && before === ends) lasting.set(sessionId, true)
      return still
    },
    async end({ id, name }, requestId) {
      await transact(db, async (trx) => {
        if ((await deleteSession(trx, id)) === undefined) return
        await insertAudit(trx, { appId: ofNoApp, actor: name, requestId, action: 'session.ended', subject: { id, why: 'signed out' } })
      })
      ended(id)
    },
    list: () => listSessions(db, tokenHash, life),
    async endById(id, { actor, requestId }) {
      await transact(db, async (trx) => {
        const name = await deleteSession(trx, id)
        if (name === undefined) throw fault('not_found', 'There is no such session.')
        await insertAudit(trx, {
          appId: ofNoApp,
          actor,
          requestId,
          action: 'session.ended',
          subject: { id, name, why: 'ended by the actor' },
        })
      })
      ended(id)
    },
  }
}

const isAway = (error: unknown): boolean => Fault.is(error, 'database_unavailable') || isDatabaseAway(error)

const shown = ({ id, name, expiresAt, adminKey }: FoundSession, cookie: string): SignedIn => ({
  id,
  name,
  expiresAt: expiresAt.toISOString(),
  csrfToken: csrfTokenOf(cookie),
  adminKey,
})
