import type { AutoDraft, ExperimentDraft } from '../../core/campaign-draft.ts'
import { minutesText } from '../../core/schedule-text.ts'
import type { ErrorAt } from '../../ui/content/LocaleTabs.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { TextInput } from '../../ui/TextInput.tsx'

const usual: AutoDraft = { metric: 'open', afterMinutes: 240, alpha: 0.05, minUsers: 500, ifInconclusive: 'none' }
const grid = 'grid grid-cols-[repeat(auto-fit,minmax(min(100%,13rem),1fr))] gap-3'
const waits = [60, 120, 240, 480, 1_440, 2_880, 10_080]

/** Lets the operator have the winner of an experiment sent by itself, and say what decides it. */
export function AutoAsk({
  experiment,
  onChange,
  errorAt,
}: {
  experiment: ExperimentDraft
  onChange: (experiment: ExperimentDraft) => void
  errorAt: ErrorAt
}) {
  const { auto, sampleRate } = experiment
  const isAll = sampleRate >= 1
  const own = errorAt('experiment.auto')
  const put = (changed: Partial<AutoDraft>) => onChange({ ...experiment, auto: { ...usual, ...auto, ...changed } })
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="sr-only">The winner</legend>
      <div>
        <Switch
          label="Send the winning variant automatically"
          checked={auto !== undefined}
          onChange={(on) => onChange({ ...experiment, auto: on ? usual : undefined })}
          disabled={isAll && auto === undefined}
        />
        <p className="text-sm text-muted">
          {isAll
            ? 'Everybody is in the test group, so nobody is left to send the winner to.'
            : auto === undefined
              ? 'You pick the winner on the campaign’s page.'
              : 'Herald checks every minute and sends the winning variant once the result is statistically significant.'}
        </p>
        {own !== undefined && <p className="text-sm text-bad first-letter:uppercase">{own}</p>}
      </div>
      {auto && <Conditions auto={auto} onChange={put} errorAt={(path) => errorAt(`experiment.auto.${path}`)} />}
    </fieldset>
  )
}

function Conditions({ auto, onChange, errorAt }: { auto: AutoDraft; onChange: (changed: Partial<AutoDraft>) => void; errorAt: ErrorAt }) {
  const { metric, conversion, afterMinutes, minMinutes, alpha, minUsers, ifInconclusive } = auto
  const choices = [...new Set([...waits, afterMinutes])].toSorted((one, other) => one - other)
  return (
    <>
      <div className={grid}>
        <Field label="Winning metric" hint="Open: tapped the push. Click: followed its link or pressed a button." error={errorAt('metric')}>
          {(control) => (
            <Select
              {...control}
              value={metric}
              onChange={({ target }) => {
                const chosen = target.value as AutoDraft['metric']
                onChange({ metric: chosen, conversion: chosen === 'conversion' ? (conversion ?? '') : undefined })
              }}
              options={[
                { value: 'open', label: 'Opens' },
                { value: 'click', label: 'Clicks' },
                { value: 'conversion', label: 'Conversion event' },
              ]}
            />
          )}
        </Field>
        {metric === 'conversion' && (
          <Field label="Conversion event" hint="As your backend reports it, such as order" error={errorAt('conversion')}>
            {(control) => (
              <TextInput {...control} value={conversion ?? ''} onChange={({ target }) => onChange({ conversion: target.value })} />
            )}
          </Field>
        )}
        <Field label="Maximum test duration" hint="After the last push to the test group" error={errorAt('afterMinutes')}>
          {(control) => (
            <Select
              {...control}
              value={String(afterMinutes)}
              onChange={({ target }) => onChange({ afterMinutes: Number(target.value) })}
              options={choices.map((minutes) => ({ value: String(minutes), label: minutesText(minutes) }))}
            />
          )}
        </Field>
        <Field label="If not significant by then">
          {(control) => (
            <Select
              {...control}
              value={ifInconclusive}
              onChange={({ target }) => onChange({ ifInconclusive: target.value === 'best' ? 'best' : 'none' })}
              options={[
                { value: 'none', label: 'Send none: I pick the winner' },
                { value: 'best', label: 'Send the best-performing variant' },
              ]}
            />
          )}
        </Field>
      </div>
      <details>
        <summary className="min-h-6">Significance settings</summary>
        <div className={`${grid} mt-2`}>
          <NumberField
            label="Minimum test duration (minutes)"
            hint="Early opens can mislead: test at least this long."
            value={minMinutes ?? Math.min(60, afterMinutes)}
            onChange={(minutes) => onChange({ minMinutes: minutes })}
            error={errorAt('minMinutes')}
          />
          <NumberField
            label="Minimum users per variant"
            hint="Users with a sent push"
            value={minUsers}
            onChange={(users) => onChange({ minUsers: users })}
            error={errorAt('minUsers')}
          />
          <NumberField
            label="Significance level (%)"
            hint="Risk of a false winner: 5 means 95 % confidence"
            value={Math.round(alpha * 1_000) / 10}
            onChange={(percent) => onChange({ alpha: percent / 100 })}
            error={errorAt('alpha')}
          />
        </div>
      </details>
    </>
  )
}

function NumberField({
  label,
  hint,
  value,
  onChange,
  error,
}: {
  label: string
  hint: string
  value: number
  onChange: (value: number) => void
  error: string | undefined
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <TextInput
          {...control}
          type="number"
          step="any"
          value={Number.isNaN(value) ? '' : value}
          onChange={({ target }) => onChange(target.valueAsNumber)}
        />
      )}
    </Field>
  )
}
