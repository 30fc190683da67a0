import { useMemo } from 'react'
import { nameOf, type CampaignDraft } from '../../core/campaign-draft.ts'
import { entryOf } from '../../core/content-draft.ts'
import { Card } from '../../ui/Card.tsx'
import { ByteMeters } from '../../ui/content/ByteMeters.tsx'
import { PersonPicker } from '../../ui/content/PersonPicker.tsx'
import { Previews } from '../../ui/content/Previews.tsx'
import { useMeasured } from '../../ui/content/useMeasured.ts'
import { Estimate } from '../../ui/segment/Estimate.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { targetOf } from './targetOf.ts'
import type { Screen } from './useScreen.ts'
import { VariantTabs } from './VariantTabs.tsx'

/** The right half of the composer: the number of devices, the previews and the sizes in bytes. */
export function Answers({ appId, draft, screen, isReview }: { appId: string; draft: CampaignDraft; screen: Screen; isReview: boolean }) {
  const entry = entryOf(screen.content, screen.locale)
  const measured = useMeasured(entry, screen.person, draft, { name: nameOf(draft), zone: screen.zone, variant: screen.variantId })
  const target = useMemo(() => targetOf(draft.audience), [draft.audience])
  return (
    <div className="flex min-w-0 flex-col gap-5 lg:sticky lg:top-5 lg:max-h-[calc(100dvh-2.5rem)] lg:overflow-y-auto">
      {!isReview && (
        <Card title="Reaches">
          <Estimate appId={appId} target={target} />
        </Card>
      )}
      <Card title={`Looks like this in ${screen.locale}`}>
        {isReview && (
          <div className="mb-3 flex flex-col gap-2 empty:hidden">
            {draft.experiment && (
              <VariantTabs variants={draft.experiment.variants} variant={screen.variant} onVariant={screen.setVariant} />
            )}
            {screen.content.entries.length > 1 && (
              <Tabs
                label="Language"
                value={screen.locale}
                onChange={screen.setLocale}
                items={screen.content.entries.map(({ locale }) => ({ value: locale, label: locale }))}
              />
            )}
          </div>
        )}
        <Previews measured={measured} app={screen.app} silent={draft.silent}>
          <PersonPicker appId={appId} value={screen.personKey} name={screen.person.name} onChange={screen.setPerson} />
        </Previews>
      </Card>
      <Card title="Bytes">
        <ByteMeters measured={measured} silent={draft.silent} />
      </Card>
    </div>
  )
}
