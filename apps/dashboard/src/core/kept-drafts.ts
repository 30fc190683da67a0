import type { CampaignDraft } from './campaign-draft.ts'

/** A message that this browser keeps until Herald has it. `id` is the id of the campaign, null while Herald has made none. */
export type KeptDraft = { key: string; appId: string; id: string | null; at: string; draft: CampaignDraft }

const prefix = 'herald.draft.'
/** The browser keeps at most this many drafts, counted over all apps. When there are more, it drops the oldest. */
const mostKept = 10

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

export type DraftKeeper = {
  put(kept: KeptDraft): void
  drop(key: string): void
  /** Gives the kept drafts of an app, newest first. */
  list(appId: string): KeptDraft[]
}

/** Keeps drafts in a browser's storage. When the storage is full or switched off, a draft is not kept and no error is thrown. */
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

/** Reads a kept draft. Gives undefined when there is none, or when another version of the page stored it in another form. */
function parse(text: string | null): KeptDraft | undefined {
  const value: unknown = attempt(() => JSON.parse(text ?? 'null'))
  if (typeof value !== 'object' || value === null) return undefined
  const { key, appId, at, draft } = value as Partial<KeptDraft>
  const isWhole = typeof key === 'string' && typeof appId === 'string' && typeof at === 'string' && Array.isArray(draft?.content?.entries)
  return isWhole ? (value as KeptDraft) : undefined
}
