import type { CampaignDraft } from './campaign-draft.ts'

/**
 * A message that the platform does not have yet, kept in this browser until it has. `id` is that of the campaign; null before there is one.
 */
export type KeptDraft = { key: string; appId: string; id: string | null; at: string; draft: CampaignDraft }

const prefix = 'herald.draft.'
/** How many drafts are kept, of all apps together. The oldest go. */
const mostKept = 10

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

export type DraftKeeper = {
  put(kept: KeptDraft): void
  drop(key: string): void
  /** The drafts of an app, the newest first. */
  list(appId: string): KeptDraft[]
}

/** Keeps drafts in a browser's storage. When the storage is full or switched off nothing is kept, and nothing fails. */
export function openDraftKeeper(storage: Storage): DraftKeeper {
  const all = (): KeptDraft[] => {
    const kept: KeptDraft[] = []
    for (let place = 0; place < storage.length; place += 1) {
      const name = storage.key(place)
      const one = name?.startsWith(prefix) === true ? parse(storage.getItem(name)) : undefined
      if (one) kept.push(one)
    }
    return kept.toSorted((one, other) => other.at.localeCompare(one.at))
  }
  return {
    put(kept) {
      attempt(() => {
        const others = all().filter(({ key }) => key !== kept.key)
        for (const { key } of others.slice(mostKept - 1)) storage.removeItem(prefix + key)
        storage.setItem(prefix + kept.key, JSON.stringify(kept))
      })
    },
    drop: (key) => attempt(() => storage.removeItem(prefix + key)),
    list: (appId) => attempt(() => all().filter((kept) => kept.appId === appId)) ?? [],
  }
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}

/** A draft that another version of the page wrote in another form is not shown. */
function parse(text: string | null): KeptDraft | undefined {
  const value: unknown = attempt(() => JSON.parse(text ?? 'null'))
  if (typeof value !== 'object' || value === null) return undefined
  const { key, appId, at, draft } = value as Partial<KeptDraft>
  const isWhole = typeof key === 'string' && typeof appId === 'string' && typeof at === 'string' && Array.isArray(draft?.content?.entries)
  return isWhole ? (value as KeptDraft) : undefined
}
