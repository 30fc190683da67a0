import { equalSecrets } from '@herald/auth/secret'
import { Fault, fault, queueUnavailable } from '@herald/contracts/fault'
import { group } from '@herald/service/group'
import type { Kysely } from 'kysely'
import type { AdminKeys } from '../authenticate.ts'
import type { Allowance } from '../core/rate-limit.ts'
import type { From, SignedIn } from '../core/session-door.ts'
import type { OpenLimit } from '../shared-limits.ts'
import type { Sessions } from './sessions.ts'
import { countRefusals, type Refusals } from '../store/audit.ts'
import type { Tables } from '../store/tables.ts'

/** What a visitor signs in with: the administration token, an administration key, or the code of a sign-in link. */
export type Shown = { token?: string | undefined; key?: string | undefined; code?: string | undefined; name?: string | undefined }
export type SignIn = {
  /** Refuses an address that has used up its wrong tokens, before its body is read. Fault: rate_limited. */
  checkAddress(address: string): void
  begin(shown: Shown, from: From): Promise<{ cookie: string; session: SignedIn }>
}

const refusals: Record<Refusals['by'], string> = {
  token: 'This is not the administration token.',
  key: 'This is not an administration key, or it was revoked.',
  link: 'This sign-in link was used, or is older than ten minutes. Make a new one, or give the administration token.',
}
const wrongPerMinute = 10
/**
 * The audit counts refused sign-ins in a line for each address and hour. Lines cannot be deleted, so a process names at most this many addresses an
 * hour, and all other addresses share a line.
 */
const addressesPerHour = 100
const otherAddresses = 'others'
const hourMs = 3_600_000

/** Signs visitors in to the dashboard (spec: administration/session, administration/sign-in-limit). Faults: unauthorized, rate_limited. */
export function openSignIn(
  { db, sessions, adminKeys }: { db: Kysely<Tables>; sessions: Sessions; adminKeys: Pick<AdminKeys, 'verify'> },
  adminToken: string | undefined,
  open: OpenLimit,
): SignIn {
  const wrong = open('sign-in', wrongPerMinute)
  const named = new Set<string>()
  let hour = -1
  const inAudit = (address: string): string => {
    const now = Math.floor(performance.now() / hourMs)
    if (now !== hour) named.clear()
    hour = now
    if (named.size < addressesPerHour) named.add(address)
    return named.has(address) ? address : otherAddresses
  }
  // Refusals that come together are one statement, in which each address has one row.
  const noteRefusal = group<Refusals, undefined>(
    async (refusals) => {
      const sums = new Map<string, Refusals>()
      for (const one of refusals) sums.set(one.address, { ...one, count: (sums.get(one.address)?.count ?? 0) + one.count })
      await countRefusals(db, [...sums.values()])
      return refusals.map(() => undefined)
    },
    { limit: 500, maxWaiting: 2_000, full: () => queueUnavailable() },
  )

  const refuse = ({ allowed, resetSeconds }: Allowance) => {
    if (allowed) return
    const message = `Too many wrong tokens from this address. Try again in ${resetSeconds} seconds.`
    throw new Fault('rate_limited', message, undefined, undefined, resetSeconds)
  }
  const begin: SignIn['begin'] = async ({ token, key, code, name }, from) => {
    refuse(await wrong.take(from.address))
    const adminKey = key === undefined ? undefined : await adminKeys.verify(key)
    const isRight =
      code !== undefined || adminKey !== undefined || (adminToken !== undefined && token !== undefined && equalSecrets(token, adminToken))
    const { browser, requestId } = from
    const begun = isRight ? await sessions.begin({ name, code, ...(adminKey && { adminKey }), browser, requestId }) : undefined
    if (begun) {
      wrong.giveBack(from.address)
      return begun
    }
    const by = code !== undefined ? 'link' : key !== undefined ? 'key' : 'token'
    await noteRefusal({ ...from, address: inAudit(from.address), count: 1, by })
    throw fault('unauthorized', refusals[by])
  }
  return { begin, checkAddress: (address) => refuse(wrong.look(address)) }
}
