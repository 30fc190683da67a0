import { call } from './call.ts'
import { failed } from './herald-error.ts'
import type { Options } from './options.ts'
import type { Herald } from './page.ts'

/** A conversion, such as an order. `id` is yours and counts once; without `at` it happens now. A `value` needs the app's setting `publicValues`. */
export type Conversion = { id: string; name: string; at?: string | Date; value?: number; currency?: string; msgId?: string }

/** What Herald has made of a conversion. `duplicate`: it had counted this id before. */
export type ConversionResult = {
  id: string
  status: 'counted' | 'duplicate'
  attribution?: { campaignId: string; how: 'direct' | 'influenced' }
}

/**
 * Reports a conversion of the user of this browser, and repeats the report after a temporary failure. `options`: those of `init`. Rejects with the
 * code `not_subscribed` while this browser is not registered, and with Herald's code when Herald refuses.
 */
export async function trackConversion(
  herald: Pick<Herald, 'state'>,
  { baseUrl, appKey }: Pick<Options, 'baseUrl' | 'appKey'>,
  conversion: Conversion,
): Promise<ConversionResult> {
  // The time is fixed before the first try, because a repeat counts as the same only with the same time.
  const body = { ...conversion, at: new Date(conversion.at ?? Date.now()).toISOString() }
  const { subscriptionId } = await herald.state()
  if (!subscriptionId) throw failed('not_subscribed')
  const service = { baseUrl: baseUrl.replace(/\/+$/, ''), appKey }
  return call<ConversionResult>(service, 'POST', `subscriptions/${subscriptionId}/conversions`, body)
}
