import { equalSecrets } from '@herald/auth/secret'
import { Fault, fault } from '@herald/contracts/fault'
import type { Kysely } from 'kysely'
import { RateLimit } from '../core/rate-limit.ts'
import { ofNoApp } from '../core/audit.ts'
import type { From, SignedIn } from '../core/session-door.ts'
import type { Sessions } from './sessions.ts'
import { insertAudit } from '../store/audit.ts'
import type { Tables } from '../store/tables.ts'

/** What a visitor signs in with: the administration token, or the code of a sign-in link. */
export type Shown = { token?: string | undefined; code?: string | undefined; name?: string | undefined }
export type SignIn = (shown: Shown, from: From) => Promise<{ cookie: string; session: SignedIn }>

const wrongPerMinute = 10
/**
 * The audit gets a line of a refused sign-in only for the first refusal of each address in a minute, and a gateway writes at most this many such
 * lines in a minute. Without these limits strangers could fill the audit, because anybody can be refused and lines cannot be deleted.
 */
const linesPerMinute = 20

/** Signs visitors in to the dashboard (spec: administration/session, administration/sign-in-limit). Faults: unauthorized, rate_limited. */
export function openSignIn({ db, sessions }: { db: Kysely<Tables>; sessions: Sessions }, adminToken: string | undefined): SignIn {
  const wrong = new RateLimit(wrongPerMinute)
  const lines = new RateLimit(linesPerMinute)

  const noteRefusal = async ({ address, browser, requestId }: From, by: 'token' | 'link') => {
    if (!lines.take('all', performance.now()).allowed) return
    const line = { appId: ofNoApp, actor: 'somebody', requestId, action: 'session.refused', subject: { address, by, browser } } as const
    await insertAudit(db, line)
  }

  return async ({ token, code, name }, from) => {
    const { allowed, limit, remaining, resetSeconds } = wrong.take(from.address, performance.now())
    if (!allowed) {
      const message = `Too many wrong tokens from this address. Try again in ${resetSeconds} seconds.`
      throw new Fault('rate_limited', message, undefined, undefined, resetSeconds)
    }
    const isRight = code !== undefined || (adminToken !== undefined && token !== undefined && equalSecrets(token, adminToken))
    const begun = isRight ? await sessions.begin({ name, code, browser: from.browser, requestId: from.requestId }) : undefined
    if (begun) {
      wrong.giveBack(from.address)
      return begun
    }
    if (limit - remaining === 1) await noteRefusal(from, code === undefined ? 'token' : 'link')
    throw fault(
      'unauthorized',
      code === undefined
        ? 'This is not the administration token.'
        : 'This sign-in link was used, or is older than ten minutes. Make a new one, or give the administration token.',
    )
  }
}
