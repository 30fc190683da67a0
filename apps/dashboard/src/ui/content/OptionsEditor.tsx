import type { OptionsDraft } from '../../core/send-options-draft.ts'
import { Checkbox } from '../Checkbox.tsx'
import { Field } from '../Field.tsx'
import { Select } from '../Select.tsx'
import { TextArea, TextInput } from '../TextInput.tsx'
import { CategoryField } from './CategoryField.tsx'
import { DataEditor } from './DataEditor.tsx'
import { PresentationFields } from './PresentationFields.tsx'
import { RateField } from './RateField.tsx'
import { FromTemplate } from './TextField.tsx'
import { TtlField } from './TtlField.tsx'

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
                { value: 'high', label: 'High: immediately' },
                { value: 'normal', label: 'Normal: may be delayed to save battery' },
              ]}
            />
          )}
        </Field>
        <Field label="Collapse id" hint="A newer message with the same id replaces the older one." error={errorAt('collapseId')}>
          {(control) => (
            <TextInput {...control} value={value.collapseId} onChange={({ target }) => onChange({ collapseId: target.value })} />
          )}
        </Field>
        <PresentationFields value={value.presentation} onChange={(presentation) => onChange({ presentation })} errorAt={errorAt} />
      </div>
      <details>
        <summary className="min-h-6">Advanced: provider fields</summary>
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
