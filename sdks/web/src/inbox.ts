import { call } from './call.ts'
import { failed } from './herald-error.ts'
import { readOptions, type Options } from './options.ts'
import type { Herald } from './page.ts'

/** A notification that the person was sent, with its text as it is for the person now. */
export type InboxItem = {
  id: string
  title: string
  body: string
  url: string | null
  image: string | null
  actions: { id: string; title: string; url: string | null }[]
  data: Record<string, string>
  category: string | null
  sentAt: string
  readAt: string | null
  opened: boolean
}

export type Inbox = {
  /** Gives a page of items, newest first. `unread` counts in the newest 100. `nextCursor` is null on the last page. */
  list(query?: { limit?: number; cursor?: string }): Promise<{ items: InboxItem[]; unread: number; nextCursor: string | null }>
  /** Marks these items, or all, as read; with `false` as unread. */
  read(ids: string[] | 'all', read?: boolean): Promise<void>
  /** Hides an item for good. */
  hide(id: string): Promise<void>
}

/**
 * Gives the inbox of the person on this browser, with what `init` gave and its options. `token` gives the identity token of who is logged in, which
 * Herald always needs. Rejects with `not_ready` before registration.
 */
export function openInbox(herald: Pick<Herald, 'state'>, options: Options, token?: () => string | Promise<string>): Inbox {
  const { service } = readOptions(options)
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const { subscriptionId, loggedIn } = await herald.state()
    if (!subscriptionId) throw failed('not_ready')
    return call<T>(service, method, `subscriptions/${subscriptionId}/inbox${path}`, body, loggedIn ? await token?.() : undefined)
  }
  return {
    list: (query = {}) => ask('GET', `?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`),
    read: async (ids, read = true) => void (await ask('POST', '/read', ids === 'all' ? { all: true, read } : { ids, read })),
    hide: async (id) => void (await ask('DELETE', `/${encodeURIComponent(id)}`)),
  }
}
