import { Plus, X } from 'lucide-react'
import { addVariant, type ExperimentDraft } from '../../core/campaign-draft.ts'
import { countText, percentText } from '../../core/number.ts'
import { Button } from '../../ui/Button.tsx'
import type { ErrorAt } from '../../ui/content/LocaleTabs.tsx'
import { Field } from '../../ui/Field.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import type { Screen } from './useScreen.ts'

/** Lets the operator name and weigh the variants of an experiment, two to four. */
export function Variants({
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
            <Button variant="quiet" small className="mt-6" aria-label={`Edit variant ${name}`} onClick={() => screen.setVariant(place)}>
              Edit
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

/** Lets the operator choose how much of the audience is the sample of an experiment. */
export function SampleRate({
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
        label="Test group (% of the audience)"
        hint={
          percent >= 100
            ? 'Everybody gets one of the variants.'
            : `The other ${countText(Math.round((100 - percent) * 100) / 100)} % get the winner as soon as it is ${experiment.auto ? 'decided' : 'chosen'}, whatever the schedule.`
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
