import type { PresentationDraft } from '../../core/send-options-draft.ts'
import { Field } from '../Field.tsx'
import { Select } from '../Select.tsx'
import { TextInput } from '../TextInput.tsx'

const texts = [
  {
    name: 'sound',
    label: 'Sound',
    hint: 'A sound file of the app, default, or none for no sound. Empty: the default sound. On Android the channel decides.',
  },
  { name: 'channelId', label: 'Android channel', hint: 'A channel that the app has created' },
  { name: 'icon', label: 'Icon', hint: 'Android: name of an icon in the app; web: image URL' },
  { name: 'threadId', label: 'iOS thread', hint: 'Groups messages on iOS' },
] as const

const numbers = [
  {
    name: 'badge',
    label: 'Badge',
    hint: 'The number on the app’s icon, on phones and in browsers. 0 clears it on iOS and in browsers.',
    min: 0,
    max: 99_999,
    step: 1,
    without: 'badgeIncrement',
  },
  {
    name: 'badgeIncrement',
    label: 'Add to the badge',
    hint: 'Increases the number on each device instead. Opening the app resets it to 0.',
    min: 1,
    max: 1_000,
    step: 1,
    without: 'badge',
  },
  {
    name: 'relevanceScore',
    label: 'Relevance',
    hint: 'iOS, 0 to 1: which message of the app stands on top',
    min: 0,
    max: 1,
    step: 0.1,
    without: null,
  },
] as const

/** Lets the operator edit how messages look and sound. */
export function PresentationFields({
  value: presentation,
  onChange,
  errorAt,
}: {
  value: PresentationDraft
  onChange: (presentation: PresentationDraft) => void
  errorAt: (path: string) => string | undefined
}) {
  const look = (changed: Partial<PresentationDraft>) => onChange({ ...presentation, ...changed })
  return (
    <>
      <Field label="Interruption level" hint="How loudly iOS announces it. On Android the channel decides">
        {(control) => (
          <Select
            {...control}
            value={presentation.interruptionLevel}
            onChange={({ target }) => look({ interruptionLevel: levels.find(({ value: level }) => level === target.value)?.value ?? '' })}
            options={levels}
          />
        )}
      </Field>
      {texts.map(({ name, label, hint }) => (
        <Field key={name} label={label} hint={hint} error={errorAt(`presentation.${name}`)}>
          {(control) => <TextInput {...control} value={presentation[name]} onChange={({ target }) => look({ [name]: target.value })} />}
        </Field>
      ))}
      {numbers.map(({ name, label, hint, min, max, step, without }) => (
        <Field key={name} label={label} hint={hint} error={errorAt(`presentation.${name}`)}>
          {(control) => (
            <TextInput
              {...control}
              type="number"
              min={min}
              max={max}
              step={step}
              value={presentation[name] ?? ''}
              disabled={without !== null && presentation[without] !== null && presentation[name] === null}
              onChange={({ target }) => look({ [name]: target.value === '' ? null : target.valueAsNumber })}
            />
          )}
        </Field>
      ))}
    </>
  )
}

const levels = [
  { value: '', label: 'System default' },
  { value: 'passive', label: 'Passive: in the list, no sound' },
  { value: 'active', label: 'Active' },
  { value: 'time-sensitive', label: 'Time-sensitive: breaks through Focus' },
  { value: 'critical', label: 'Critical: needs Apple’s permission' },
] as const
