import type { OptionsDraft, PresentationDraft } from '../../core/send-options-draft.ts'
import { Checkbox } from '../Checkbox.tsx'
import { Field } from '../Field.tsx'
import { Select } from '../Select.tsx'
import { TextArea, TextInput } from '../TextInput.tsx'
import { CategoryField } from './CategoryField.tsx'
import { DataEditor } from './DataEditor.tsx'
import { RateField } from './RateField.tsx'
import { FromTemplate } from './TextField.tsx'
import { TtlField } from './TtlField.tsx'

const texts = [
  {
    name: 'sound',
    label: 'Sound',
    hint: 'A file of the app, default, or none for no sound. Empty: the phone’s own; on Android the channel decides.',
  },
  { name: 'channelId', label: 'Android channel', hint: 'A channel that the app has made' },
  { name: 'icon', label: 'Icon', hint: 'Android: a drawable; web: an address' },
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
    hint: 'Raises the number on each device instead. A visit of the app sets it back to 0.',
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

/** Lets the operator edit everything of a message but its texts: data, delivery options and presentation. */
export function OptionsEditor({
  value,
  onChange,
  errorAt,
  template,
}: {
  value: OptionsDraft
  onChange: (changed: Partial<OptionsDraft>) => void
  errorAt: (path: string) => string | undefined
  template?: OptionsDraft | undefined
}) {
  const { presentation } = value
  const look = (changed: Partial<PresentationDraft>) => onChange({ presentation: { ...presentation, ...changed } })
  return (
    <div className="flex flex-col gap-4">
      <DataEditor
        rows={value.data}
        onChange={(data) => onChange({ data })}
        errorAt={errorAt}
        note={
          template && (
            <FromTemplate
              isSame={JSON.stringify(template.data) === JSON.stringify(value.data)}
              onTake={() => onChange({ data: template.data })}
            />
          )
        }
      />
      <Checkbox
        label="Silent: wake the app, show nothing"
        hint="iOS and Android only. Browsers are skipped."
        checked={value.silent}
        onChange={({ target }) => onChange({ silent: target.checked })}
      />
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,13rem),1fr))] gap-3">
        <CategoryField value={value.category} onChange={(category) => onChange({ category })} error={errorAt('category')} />
        <RateField value={value.sendRate} onChange={(sendRate) => onChange({ sendRate })} error={errorAt('sendRate.perMinute')} />
        <TtlField value={value.ttl} onChange={(ttl) => onChange({ ttl })} error={errorAt('ttl')} />
        <Field label="Priority">
          {(control) => (
            <Select
              {...control}
              value={value.priority}
              onChange={({ target }) => onChange({ priority: target.value === 'normal' ? 'normal' : 'high' })}
              options={[
                { value: 'high', label: 'High: at once' },
                { value: 'normal', label: 'Normal: when it saves battery' },
              ]}
            />
          )}
        </Field>
        <Field label="Collapse id" hint="A newer message with the same id replaces the older one." error={errorAt('collapseId')}>
          {(control) => (
            <TextInput {...control} value={value.collapseId} onChange={({ target }) => onChange({ collapseId: target.value })} />
          )}
        </Field>
        <Field label="Interruption level" hint="How loudly iOS and Android announce it">
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
      </div>
      <details>
        <summary className="min-h-6">Advanced: fields of the providers</summary>
        <div className="mt-3 flex flex-col gap-3">
          {providerFields.map(({ platform, label, hint }) => (
            <Field key={platform} label={label} hint={hint} error={errorAt(`overrides.${platform}`)}>
              {(control) => (
                <TextArea
                  {...control}
                  className="font-mono text-sm"
                  spellCheck={false}
                  placeholder="{ }"
                  value={value.overrides[platform]}
                  onChange={({ target }) => onChange({ overrides: { ...value.overrides, [platform]: target.value } })}
                />
              )}
            </Field>
          ))}
        </div>
      </details>
    </div>
  )
}

const providerFields = [
  { platform: 'ios', label: 'iOS: payload', hint: 'JSON, such as {"aps": {"category": "ORDER", "alert": {"subtitle": "Order 17"}}}' },
  { platform: 'android', label: 'Android: message.android', hint: 'JSON, such as {"notification": {"click_action": "OPEN_ORDER"}}' },
  { platform: 'web', label: 'Web: options of the notification', hint: 'JSON, such as {"requireInteraction": true, "renotify": true}' },
] as const

const levels = [
  { value: '', label: 'As the system has it' },
  { value: 'passive', label: 'Passive: in the list, no sound' },
  { value: 'active', label: 'Active' },
  { value: 'time-sensitive', label: 'Time-sensitive: through a focus' },
  { value: 'critical', label: 'Critical: needs Apple’s permission' },
] as const
