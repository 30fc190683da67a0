import { call } from './call.ts'
import { failed } from './herald-error.ts'
import type { Options } from './options.ts'
import type { Herald } from './page.ts'

/**
 * Shows a number on the icon of the installed site; 0 removes it. Sends with `badgeIncrement` go on from it. `options`: those of `init`. Rejects with
 * `not_subscribed` while this browser is not registered.
 */
export async function setBadge(
  herald: Pick<Herald, 'state'>,
  { baseUrl, appKey }: Pick<Options, 'baseUrl' | 'appKey'>,
  badge: number,
): Promise<void> {
  const { subscriptionId } = await herald.state()
  if (!subscriptionId) throw failed('not_subscribed')
  await call({ baseUrl: baseUrl.replace(/\/+$/, ''), appKey }, 'PATCH', `subscriptions/${subscriptionId}`, { badge })
  // Firefox has none (https://web-platform-dx.github.io/web-features-explorer/features/badging).
  await navigator.setAppBadge?.(badge).catch(() => undefined)
}
