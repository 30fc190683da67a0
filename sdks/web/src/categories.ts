import { call } from './call.ts'
import { failed } from './herald-error.ts'
import { readOptions, type Options } from './options.ts'
import type { Herald } from './page.ts'

/** A kind of notifications. `subscribed`: whether the person gets them. Nobody can leave a `locked` one. */
export type Category = { id: string; name: string; description: string | null; subscribed: boolean; locked: boolean }

export type Categories = {
  /** Gives all categories of the app. */
  get(): Promise<Category[]>
  /** Lets the person join (true) or leave (false) categories; null takes the own choice back. It holds for all devices of the person. */
  set(choices: Record<string, boolean | null>): Promise<Category[]>
  /** Takes the person of this push out of its category: `event.data.msgId` of a `click` or `push` event. */
  leave(msgId: string): Promise<void>
}

/**
 * Gives what a page needs to show categories, with what `init` gave and its options. A call that cannot be sent is tried twice more, then rejects.
 * `get` and `set` reject with `not_ready` while this browser is not registered.
 */
export function openCategories(herald: Pick<Herald, 'state'>, options: Options): Categories {
  const { service } = readOptions(options)
  const ask = async (method: string, body?: object): Promise<Category[]> => {
    const { subscriptionId } = await herald.state()
    if (!subscriptionId) throw failed('not_ready')
    return (await call<{ categories: Category[] }>(service, method, `subscriptions/${subscriptionId}/preferences`, body)).categories
  }
  return {
    get: () => ask('GET'),
    set: (categories) => ask('PATCH', { categories }),
    leave: async (msgId) => void (await call(service, 'POST', `u/${encodeURIComponent(msgId)}`)),
  }
}
