import type { FrequencyCap, QuietHours } from '@herald/contracts/administration'
import type { AppSettings } from '@herald/contracts/app'
import type { FrozenSend } from '@herald/contracts/batch'

/** The app's delivery rules that a send obeys; null: it has none, or need not (spec: sending/bypass, sending/silent-exempt). */
export type DeliveryRules = { frequencyCap: FrequencyCap | null; holdFor: QuietHours | null; skipIn: QuietHours | null }

/** Silent pushes disturb nobody: they are exempt from the cap and from quiet hours. */
export function rulesFor(
  { silent, bypass }: Pick<FrozenSend, 'silent' | 'bypass'>,
  { frequencyCap, quietHours }: Pick<AppSettings, 'frequencyCap' | 'quietHours'>,
): DeliveryRules {
  const quiet = silent || bypass.quietHours ? null : quietHours
  return {
    frequencyCap: silent || bypass.frequencyCap ? null : frequencyCap,
    holdFor: quiet?.action === 'hold' ? quiet : null,
    skipIn: quiet?.action === 'skip' ? quiet : null,
  }
}
