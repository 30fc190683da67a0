import { lazy, Suspense } from 'react'
import { beginExperiment, endExperiment, type CampaignDraft, type ExperimentDraft } from '../../core/campaign-draft.ts'
import type { ErrorAt } from '../../ui/content/LocaleTabs.tsx'
import { Switch } from '../../ui/Switch.tsx'
import type { Screen } from './useScreen.ts'

// Few messages are experiments, so the code of their form is loaded later.
const AutoAsk = lazy(async () => ({ default: (await import('./AutoAsk.tsx')).AutoAsk }))
const Prospect = lazy(async () => ({ default: (await import('./Prospect.tsx')).Prospect }))
const SampleRate = lazy(async () => ({ default: (await import('./VariantsAsk.tsx')).SampleRate }))
const Variants = lazy(async () => ({ default: (await import('./VariantsAsk.tsx')).Variants }))

/** The form of an experiment: two to four variants with their weights, the size of the sample, and what the experiment can show. */
export function ExperimentAsk({
  appId,
  draft,
  onChange,
  errorAt,
  screen,
}: {
  appId: string
  draft: CampaignDraft
  onChange: (draft: CampaignDraft) => void
  errorAt: ErrorAt
  screen: Screen
}) {
  const { experiment } = draft
  const own = errorAt('experiment')
  const put = (changed: ExperimentDraft) => onChange({ ...draft, experiment: changed })
  const toggle = (on: boolean) => {
    screen.setVariant(0)
    onChange(on ? beginExperiment(draft) : endExperiment(draft))
  }
  return (
    <div className="flex flex-col gap-4">
      <div>
        <Switch label="A/B test" checked={experiment !== null} onChange={toggle} disabled={draft.silent && experiment === null} />
        {draft.silent && <p className="text-sm text-muted">A silent message has no content to test.</p>}
        {own !== undefined && <p className="text-sm text-bad">The A/B test {own}</p>}
      </div>
      {experiment && (
        <Suspense>
          <Variants experiment={experiment} onChange={put} errorAt={errorAt} screen={screen} />
          <SampleRate experiment={experiment} onChange={put} error={errorAt('experiment.sampleRate')} />
          <AutoAsk experiment={experiment} onChange={put} errorAt={errorAt} />
          <Prospect appId={appId} audience={draft.audience} experiment={experiment} />
        </Suspense>
      )}
    </div>
  )
}
