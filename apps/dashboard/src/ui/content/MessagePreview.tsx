import { type ReactNode, useMemo, useState } from 'react'
import { Overrides } from '@herald/contracts/overrides'
import type { PushSend } from '@herald/contracts/payload'
import { platforms } from '@herald/contracts/platform'
import { defaultTtlSeconds } from '@herald/contracts/send-fields'
import { Card } from '../Card.tsx'
import type { EntryDraft } from '../../core/content-draft.ts'
import { nameOfLocale } from '../../core/locale-tabs.ts'
import { measure, type Measured } from '../../core/measure.ts'
import { valuesOf, type Person } from '../../core/person.ts'
import { optionsOfDraft, type OptionsDraft } from '../../core/send-options-draft.ts'
import { ByteMeters } from './ByteMeters.tsx'
import { PersonPicker } from './PersonPicker.tsx'
import { Previews } from './Previews.tsx'

type Screen = { app: string; zone: string; locale: string; personKey: string; person: Person; setPerson: (key: string) => void }

/** Shows what a message looks like in the language on screen for the user whom the operator chooses here, and its size in bytes. */
export function MessagePreview({
  appId,
  entry,
  options,
  screen,
  above,
  choice,
  ...about
}: {
  appId: string
  entry: EntryDraft
  options: OptionsDraft
  screen: Screen
  /** The name of the campaign or template, which a placeholder can show. */
  name: string
  /** The id of the experiment's variant, which makes the msgId of a push longer. */
  variant?: string | undefined
  /** A card above the previews. */
  above?: ReactNode
  /** Lets the operator choose the variant and the language that the previews show. */
  choice?: ReactNode
}) {
  const measured = useMeasured(entry, screen.person, options, { ...about, zone: screen.zone })
  return (
    <div className="flex min-w-0 flex-col gap-5 lg:sticky lg:top-5 lg:max-h-[calc(100dvh-2.5rem)] lg:overflow-y-auto">
      {above}
      <Card title={`Preview (${nameOfLocale(screen.locale)})`}>
        {choice}
        <Previews measured={measured} app={screen.app} silent={options.silent}>
          <PersonPicker appId={appId} value={screen.personKey} name={screen.person.name} onChange={screen.setPerson} />
        </Previews>
      </Card>
      <Card title="Payload size">
        <ByteMeters measured={measured} silent={options.silent} />
      </Card>
    </div>
  )
}

/** Fills in and measures a message on each platform for the chosen user, at each change. */
function useMeasured(
  entry: EntryDraft,
  person: Person,
  options: OptionsDraft,
  { name, zone, variant }: { name: string; zone: string; variant?: string | undefined },
): readonly Measured[] {
  const [now] = useState(() => new Date())
  return useMemo(() => {
    const { data = {}, ttl = defaultTtlSeconds, collapseId = null, presentation = null, silent = false, ...rest } = optionsOfDraft(options)
    const campaign = { id: '000000000000000000000003', name }
    const overrides = Overrides.safeParse(rest.overrides).data ?? null
    const about = { data, collapseId, presentation, overrides, silent, priority: rest.priority ?? 'high' }
    const send: PushSend = { campaignId: campaign.id, ...about }
    return platforms.map((platform) =>
      measure(platform, entry, valuesOf(person, { platform, data, campaign, zone, now }), {
        send,
        ttlSeconds: ttl,
        variant: variant ?? '',
      }),
    )
  }, [entry, person, options, name, zone, variant, now])
}
