import type { UseFormReturn } from 'react-hook-form'
import type { SettingsTexts } from '../../core/app-settings.ts'
import { Card } from '../../ui/Card.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field } from '../../ui/Field.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { TextInput } from '../../ui/TextInput.tsx'

/** The part of the settings about the inbox, about what counts as a conversion of a push, and about who is held out. */
export function MeasureSettings({ form: { register, setValue, watch, formState } }: { form: UseFormReturn<SettingsTexts> }) {
  const { errors } = formState
  const [hasHoldout, publicValues] = watch(['hasHoldout', 'publicValues'])
  return (
    <>
      <Card title="Inbox">
        <Field label="Message expiration (days)" hint="1 to 90" error={errors.inboxDays?.message}>
          {(control) => <TextInput {...control} {...register('inboxDays')} inputMode="numeric" size={5} className="w-auto!" />}
        </Field>
      </Card>
      <Card title="Conversions">
        <div className="flex flex-col gap-3">
          <div className="flex flex-wrap items-start gap-3">
            <Field label="Direct attribution window (hours)" hint="After an open or a click: 1 to 720" error={errors.directHours?.message}>
              {(control) => <TextInput {...control} {...register('directHours')} inputMode="numeric" size={5} />}
            </Field>
            <Field
              label="Influenced attribution window (hours)"
              hint="After a push that the user did not open: 0 to 168; 0 turns it off"
              error={errors.influencedHours?.message}
            >
              {(control) => <TextInput {...control} {...register('influencedHours')} inputMode="numeric" size={5} />}
            </Field>
          </div>
          <p className="text-muted text-sm">
            A conversion within this window is attributed to the last push. Changes apply to conversions reported from then on.
          </p>
          <Checkbox
            label="Apps and websites may report conversion values"
            hint="Their key is public, so anybody could report false revenue. It is safer to report it from your backend."
            checked={publicValues}
            onChange={({ target }) => setValue('publicValues', target.checked, { shouldDirty: true })}
          />
        </div>
      </Card>
      <Card title="Control group">
        <div className="flex flex-col gap-3">
          <Switch
            label="Exclude a control group from all campaigns"
            checked={hasHoldout}
            onChange={(isOn: boolean) => setValue('hasHoldout', isOn, { shouldDirty: true })}
          />
          {hasHoldout && (
            <Field label="Size (% of people)" hint="0.1 to 20" error={errors.holdoutPercent?.message}>
              {(control) => <TextInput {...control} {...register('holdoutPercent')} inputMode="decimal" size={5} className="w-auto!" />}
            </Field>
          )}
          <p className="text-muted text-sm">
            See Impact for the uplift over the control group. It still gets what your backend sends through the notifications API.
          </p>
        </div>
      </Card>
    </>
  )
}
