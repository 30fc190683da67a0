import type { MessageIdParts } from '@herald/auth/message-id'
import type { KeyKind } from '@herald/contracts/administration'
import { changePreferences as changeCall, readPreferences as readCall, type PreferencesOf } from '@herald/contracts/calls/audience'
import { findLeavable, listCategories } from '@herald/contracts/calls/campaigns'
import { showPreferences, type PreferenceChanges, type ShownPreferences } from '@herald/contracts/category'
import { Fault, fault, type FaultDetail } from '@herald/contracts/fault'
import type { Gateway } from '../gateway.ts'

type Bus = Pick<Gateway['bus'], 'call'>
type Of = { appId: string; of: PreferencesOf }

/** Gives the app's categories as a person has chosen them. Fault: not_found. */
export async function readPreferences(bus: Bus, { appId, of }: Of): Promise<ShownPreferences> {
  const [{ choices }, { categories }] = await Promise.all([bus.call(readCall, { appId, of }), bus.call(listCategories, { appId })])
  return showPreferences(categories, choices)
}

/** Changes a person's own choices (spec: categories/change). Faults: not_found; invalid_body at `categories.<id>` for an unknown or a locked one. */
export async function changePreferences(
  bus: Bus,
  { appId, of, changes, keyKind }: Of & { changes: PreferenceChanges; keyKind: KeyKind },
): Promise<ShownPreferences> {
  const { categories } = await bus.call(listCategories, { appId })
  const known = new Map(categories.map((category) => [category.id, category]))
  const wrong = Object.keys(changes.categories).flatMap((id): FaultDetail[] => {
    const category = known.get(id)
    if (category && !category.locked) return []
    return [{ path: `categories.${id}`, message: category ? 'is locked: nobody can leave it' : 'names no category of this app' }]
  })
  const [first] = wrong
  if (first) throw fault('invalid_body', `${first.path} ${first.message}`, wrong)
  const { choices } = await bus.call(changeCall, { appId, of, changes: changes.categories, known: [...known.keys()], keyKind })
  return showPreferences(categories, choices)
}

/**
 * Takes the user of a push out of the category of its campaign (spec: categories/one-tap). Nothing happens when there is no category to leave, or the
 * user is not there any more.
 */
export async function leaveByPush(bus: Bus, { appId, campaignId, userId }: MessageIdParts): Promise<void> {
  const found = await bus.call(findLeavable, { appId, campaignId })
  if (!found) return
  const { categoryId } = found
  try {
    // A push is no key of the backend, so the change does not make the user known to it.
    await bus.call(changeCall, { appId, of: { userId }, changes: { [categoryId]: false }, known: [categoryId], keyKind: 'public' })
  } catch (error) {
    if (!Fault.is(error, 'not_found')) throw error
  }
}
