import type { FrequencyCap, QuietHours } from '@herald/contracts/administration'
import type { AppSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'

/** The app's delivery rules that a send obeys; null: it has none, or need not (spec: sending/bypass, sending/silent-exempt). */
export type DeliveryRules = { frequencyCap: FrequencyCap | null; holdFor: QuietHours | null; skipIn: QuietHours | null }

/** Silent pushes disturb nobody, and whoever tests waits for the push: both are exempt from the cap and from quiet hours. */
export function rulesFor(
  { silent, bypass, test }: Pick<FrozenSend, 'silent' | 'bypass' | 'test'>,
  { frequencyCap, quietHours }: Pick<AppSettings, 'frequencyCap' | 'quietHours'>,
): DeliveryRules {
  const isExempt = silent || test === true
  const quiet = isExempt || bypass.quietHours ? null : quietHours
  return {
    frequencyCap: isExempt || bypass.frequencyCap ? null : frequencyCap,
    holdFor: quiet?.action === 'hold' ? quiet : null,
    skipIn: quiet?.action === 'skip' ? quiet : null,
  }
}
