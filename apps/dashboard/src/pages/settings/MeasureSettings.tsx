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
        <Field label="Days that people can read what was sent" hint="1 to 90" error={errors.inboxDays?.message}>
          {(control) => <TextInput {...control} {...register('inboxDays')} inputMode="numeric" size={5} className="w-auto!" />}
        </Field>
      </Card>
      <Card title="Conversions">
        <div className="flex flex-col gap-3">
          <div className="flex flex-wrap items-start gap-3">
            <Field label="Hours after an open or a click" hint="1 to 720" error={errors.directHours?.message}>
              {(control) => <TextInput {...control} {...register('directHours')} inputMode="numeric" size={5} />}
            </Field>
            <Field label="Hours after a push that nobody opened" hint="0 to 168; 0: never" error={errors.influencedHours?.message}>
              {(control) => <TextInput {...control} {...register('influencedHours')} inputMode="numeric" size={5} />}
            </Field>
          </div>
          <p className="text-muted text-sm">
            What a user does within this time is attributed to the last push. A change holds for what is reported from then on.
          </p>
          <Checkbox
            label="Apps and pages may report values"
            hint="The key of your apps and pages is in everybody’s hands, so anybody could report money. Better report it from your backend."
            checked={publicValues}
            onChange={({ target }) => setValue('publicValues', target.checked, { shouldDirty: true })}
          />
        </div>
      </Card>
      <Card title="Hold-out">
        <div className="flex flex-col gap-3">
          <Switch
            label="Leave some people out of all campaigns"
            checked={hasHoldout}
            onChange={(isOn: boolean) => setValue('hasHoldout', isOn, { shouldDirty: true })}
          />
          {hasHoldout && (
            <Field label="Percent of people" hint="0.1 to 20" error={errors.holdoutPercent?.message}>
              {(control) => <TextInput {...control} {...register('holdoutPercent')} inputMode="decimal" size={5} className="w-auto!" />}
            </Field>
          )}
          <p className="text-muted text-sm">
            Compare them with the others to see what campaigns cause: the page Impact does it. Notifications of your backend, such as an
            order’s confirmation, reach everybody.
          </p>
        </div>
      </Card>
    </>
  )
}
