import type { KeyKind } from '@herald/contracts/administration'
import type { PreferencesOf } from '@herald/contracts/calls/audience'
import type { Choices } from '@herald/contracts/category'
import { notFound } from '@herald/contracts/fault'
import { changeChoices } from './core/choices.ts'
import { makeUser } from './change-users.ts'
import { findOwnerOf, lockSubscription } from './store/subscriptions.ts'
import { findChoices, findUserId, lockUser, markByBackend, writeChoices } from './store/users.ts'
import type { Db } from '../store/tables.ts'
import { transactIdentity } from './transact-identity.ts'

/** Gives a person's own choices of categories. Fault: `not_found`. */
export async function readPreferences(db: Db, { appId, of }: { appId: string; of: PreferencesOf }): Promise<{ choices: Choices }> {
  const userId = 'subscriptionId' in of ? await findOwnerOf(db, appId, of.subscriptionId) : await findUserId(db, appId, of)
  if (userId === undefined) throw notFound()
  return { choices: (await findChoices(db, [userId])).get(userId) ?? {} }
}

type Asked = {
  appId: string
  of: PreferencesOf
  changes: Record<string, boolean | null>
  known: string[]
  keyKind?: KeyKind | undefined
}

/**
 * Changes a person's own choices, which hold for all devices (spec: categories/person). An unknown external id makes a user, as a change of tags does.
 * Fault: `not_found`.
 */
export const changePreferences = ({ db }: { db: Db }, { appId, of, changes, known, keyKind }: Asked): Promise<{ choices: Choices }> =>
  transactIdentity(db, async (trx) => {
    const by = 'subscriptionId' in of ? 'device' : 'backend'
    const userId = await lockPerson(trx, appId, of)
    const before = (await findChoices(trx, [userId])).get(userId) ?? {}
    const choices = changeChoices(before, changes, known)
    await writeChoices(trx, userId, choices, by)
    if (keyKind === 'secret') await markByBackend(trx, userId)
    return { choices }
  })

/** Locks the person's row, so that of two changes at once the second sees what the first has written. */
async function lockPerson(trx: Db, appId: string, of: PreferencesOf): Promise<string> {
  if (!('subscriptionId' in of)) return (await lockUser(trx, appId, of)) ?? (await makeUser(trx, appId, of))
  const known = await lockSubscription(trx, { appId, id: of.subscriptionId })
  const userId = known && (await lockUser(trx, appId, { userId: known.userId }))
  if (userId === undefined) throw notFound()
  return userId
}
