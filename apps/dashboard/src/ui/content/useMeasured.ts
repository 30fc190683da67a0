import type { PushSend } from '@herald/contracts/payload'
import { platforms } from '@herald/contracts/platform'
import { defaultTtlSeconds } from '@herald/contracts/send-fields'
import { useMemo, useState } from 'react'
import type { EntryDraft } from '../../core/content-draft.ts'
import { measure, type Measured } from '../../core/measure.ts'
import { valuesOf, type Person } from '../../core/person.ts'
import { optionsOfDraft, type OptionsDraft } from '../../core/send-options-draft.ts'

/** Fills in and measures a message on each platform for the chosen user, at each change. */
export function useMeasured(
  entry: EntryDraft,
  person: Person,
  options: OptionsDraft,
  { name, zone, variant }: { name: string; zone: string; variant?: string | undefined },
): readonly Measured[] {
  const [now] = useState(() => new Date())
  return useMemo(() => {
    const { data = {}, ttl = defaultTtlSeconds, collapseId = null, presentation = null, ...rest } = optionsOfDraft(options)
    const send: PushSend = { silent: rest.silent ?? false, data, collapseId, priority: rest.priority ?? 'high', presentation }
    const campaign = { id: '000000000000000000000003', name }
    return platforms.map((platform) =>
      measure(platform, entry, valuesOf(person, { platform, data, campaign, zone, now }), {
        send,
        ttlSeconds: ttl,
        variant: variant ?? '',
      }),
    )
  }, [entry, person, options, name, zone, variant, now])
}
