import { useMemo } from 'react'
import { nameOf, type CampaignDraft } from '../../core/campaign-draft.ts'
import { entryOf } from '../../core/content-draft.ts'
import { Card } from '../../ui/Card.tsx'
import { MessagePreview } from '../../ui/content/MessagePreview.tsx'
import { Estimate } from '../../ui/segment/Estimate.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { targetOf } from './AudienceAsk.tsx'
import { VariantTabs } from './MessageAsk.tsx'
import type { Screen } from './useScreen.ts'

/**
 * The right half of the composer: the previews and the sizes in bytes. While the operator writes, it also shows the number of devices; the review
 * takes that number from the dry run.
 */
export function Answers({ appId, draft, screen, isReview }: { appId: string; draft: CampaignDraft; screen: Screen; isReview: boolean }) {
  const { content } = screen
  const target = useMemo(() => targetOf(draft.audience), [draft.audience])
  return (
    <MessagePreview
      appId={appId}
      entry={entryOf(content, screen.locale)}
      options={draft}
      screen={screen}
      name={nameOf(draft)}
      variant={screen.variantId}
      above={
        !isReview && (
          <Card title="Estimated reach now">
            <Estimate appId={appId} target={target} />
          </Card>
        )
      }
      choice={
        isReview && (
          <div className="mb-3 flex flex-col gap-2 empty:hidden">
            {draft.experiment && (
              <VariantTabs variants={draft.experiment.variants} variant={screen.variant} onVariant={screen.setVariant} />
            )}
            {content.entries.length > 1 && (
              <Tabs
                label="Language"
                value={screen.locale}
                onChange={screen.setLocale}
                items={content.entries.map(({ locale }) => ({ value: locale, label: locale }))}
              />
            )}
          </div>
        )
      }
    />
  )
}
