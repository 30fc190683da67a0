import { Plus, X } from 'lucide-react'
import { addVariant, beginExperiment, endExperiment, type CampaignDraft, type ExperimentDraft } from '../../core/campaign-draft.ts'
import { countText, percentText } from '../../core/number.ts'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { AutoAsk } from './AutoAsk.tsx'
import { Prospect } from './Prospect.tsx'
import type { Screen } from './useScreen.ts'
import type { ErrorAt } from '../../ui/content/LocaleTabs.tsx'

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
        {draft.silent && <p className="text-sm text-muted">A silent message has no texts to try.</p>}
        {own !== undefined && <p className="text-sm text-bad">An experiment {own}</p>}
      </div>
      {experiment && (
        <>
          <Variants experiment={experiment} onChange={put} errorAt={errorAt} screen={screen} />
          <SampleRate experiment={experiment} onChange={put} error={errorAt('experiment.sampleRate')} />
          <AutoAsk experiment={experiment} onChange={put} errorAt={errorAt} />
          <Prospect appId={appId} audience={draft.audience} experiment={experiment} />
        </>
      )}
    </div>
  )
}

function Variants({
  experiment,
  onChange,
  errorAt,
  screen,
}: {
  experiment: ExperimentDraft
  onChange: (experiment: ExperimentDraft) => void
  errorAt: ErrorAt
  screen: Screen
}) {
  const { variants } = experiment
  const total = variants.reduce((sum, { weight }) => sum + weight, 0)
  const put = (place: number, changed: { name?: string; weight?: number }) =>
    onChange({ ...experiment, variants: variants.map((one, at) => (at === place ? { ...one, ...changed } : one)) })
  const remove = (place: number) => {
    screen.setVariant(0)
    onChange({ ...experiment, variants: variants.filter((_, at) => at !== place) })
  }
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Variants</legend>
      {variants.map(({ id, name, weight }, place) => {
        const at = `experiment.variants.${place}`
        return (
          <div key={id} className="flex flex-wrap items-start gap-2">
            <div className="min-w-32 flex-1">
              <Field label={`Name of variant ${place + 1}`} error={errorAt(`${at}.name`)}>
                {(control) => <TextInput {...control} value={name} onChange={({ target }) => put(place, { name: target.value })} />}
              </Field>
            </div>
            <div className="w-24">
              <Field label="Weight" error={errorAt(`${at}.weight`)}>
                {(control) => (
                  <TextInput
                    {...control}
                    type="number"
                    min={0}
                    max={1000}
                    step="any"
                    value={Number.isFinite(weight) ? weight : ''}
                    onChange={({ target }) => put(place, { weight: target.valueAsNumber })}
                  />
                )}
              </Field>
            </div>
            <p className="mt-7 w-14 text-right tabular-nums">{total > 0 ? percentText(weight, total, 0) : '–'}</p>
            <Button variant="quiet" small className="mt-6" onClick={() => screen.setVariant(place)}>
              Write
            </Button>
            <Button
              variant="quiet"
              small
              className="mt-6"
              aria-label={`Remove variant ${name}`}
              disabled={variants.length <= 2}
              onClick={() => remove(place)}
            >
              <X size={14} aria-hidden />
            </Button>
          </div>
        )
      })}
      {variants.length < 4 && (
        <div>
          <Button small icon={<Plus size={14} aria-hidden />} onClick={() => onChange(addVariant(experiment))}>
            Add a variant
          </Button>
        </div>
      )}
    </fieldset>
  )
}

function SampleRate({
  experiment,
  onChange,
  error,
}: {
  experiment: ExperimentDraft
  onChange: (experiment: ExperimentDraft) => void
  error: string | undefined
}) {
  const percent = Math.round(experiment.sampleRate * 10_000) / 100
  return (
    <div className="max-w-72">
      <Field
        label="Sample size (% of the audience)"
        hint={
          percent >= 100
            ? 'Everybody gets one of the variants.'
            : `The other ${countText(Math.round((100 - percent) * 100) / 100)} % get the winner${experiment.auto ? '' : ', once you choose it'}.`
        }
        error={error}
      >
        {(control) => (
          <TextInput
            {...control}
            type="number"
            min={1}
            max={100}
            step="any"
            value={Number.isFinite(percent) ? percent : ''}
            onChange={({ target }) => onChange({ ...experiment, sampleRate: target.valueAsNumber / 100 })}
          />
        )}
      </Field>
    </div>
  )
}
