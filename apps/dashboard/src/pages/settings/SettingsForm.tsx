import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { faultOf } from '../../api/fault.ts'
import { fieldOf, settingsOf, textsOf, type SettingsTexts } from '../../core/app-settings.ts'
import { useShortcut } from '../../shell/useShortcut.ts'
import { announce } from '../../ui/Announcer.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormErrors } from '../../ui/FormErrors.tsx'
import { Select } from '../../ui/Select.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { TextInput } from '../../ui/TextInput.tsx'
import { LeaveGuard } from '../segment/LeaveGuard.tsx'
import { MeasureSettings } from './MeasureSettings.tsx'
import { QuietHoursPicture } from './QuietHoursPicture.tsx'
import { useChangeApp, type App } from './useChangeApp.ts'

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

/** The form for an app's name, time zone, frequency cap, quiet hours, approval, inbox and measuring, which are saved as one change. */
export function SettingsForm({ app }: { app: App }) {
  const changeApp = useChangeApp(app.id)
  const [kept, setKept] = useState(() => textsOf(app))
  const form = useForm<SettingsTexts>({ defaultValues: kept })
  const { register, handleSubmit, setError, setValue, watch, formState } = form
  const [fault, setFault] = useState<unknown>()
  const [others, setOthers] = useState<{ path: string; message: string }[]>([])
  const texts = watch()
  const isChanged = JSON.stringify(settingsOf(texts)) !== JSON.stringify(settingsOf(kept))
  const { errors } = formState

  const submit = handleSubmit(async (typed) => {
    setFault(undefined)
    setOthers([])
    try {
      const saved = await changeApp(settingsOf(typed))
      setKept(textsOf(saved))
      announce('Settings saved. They take effect within 2 seconds.', 'good')
    } catch (error) {
      const { status, details } = faultOf(error)
      if (status !== 422) setFault(error)
      for (const { path, message } of details) {
        const field = fieldOf(path)
        if (field) setError(field, { message })
      }
      setOthers(details.filter(({ path }) => fieldOf(path) === undefined))
    }
  })
  useShortcut('mod+enter', () => void submit(), 'Save the settings')

  return (
    <>
      <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
        <FormErrors details={others} />
        {fault !== undefined && <ErrorNote error={fault} />}
        <Card title="The app">
          <div className="flex flex-col gap-4">
            <Field label="Name" required error={errors.name?.message}>
              {(control) => <TextInput {...control} {...register('name', { required: 'Give the app a name.' })} maxLength={100} />}
            </Field>
            <Field
              label="Default time zone"
              error={errors.defaultTimezone?.message}
              hint="For schedules, and for people without a time zone"
            >
              {(control) => (
                <Select
                  {...control}
                  {...register('defaultTimezone')}
                  options={[...new Set([kept.defaultTimezone, ...zones])].map((zone) => ({ value: zone, label: zone }))}
                />
              )}
            </Field>
          </div>
        </Card>
        <Card title="Frequency cap">
          <div className="flex flex-col gap-3">
            <Switch
              label="Limit how many messages a person gets"
              checked={texts.hasCap}
              onChange={(isOn: boolean) => setValue('hasCap', isOn, { shouldDirty: true })}
            />
            {texts.hasCap && (
              <div className="flex flex-wrap items-start gap-3">
                <Field label="At most" error={errors.capMax?.message}>
                  {(control) => <TextInput {...control} {...register('capMax')} inputMode="numeric" size={5} />}
                </Field>
                <Field label="messages within" error={errors.capCount?.message}>
                  {(control) => <TextInput {...control} {...register('capCount')} inputMode="numeric" size={5} />}
                </Field>
                <Field label="Unit">
                  {(control) => (
                    <Select
                      {...control}
                      {...register('capUnit')}
                      options={['seconds', 'minutes', 'hours', 'days'].map((unit) => ({ value: unit, label: unit }))}
                    />
                  )}
                </Field>
              </div>
            )}
            <p className="text-muted text-sm">
              Messages above the cap are skipped. Each counts once for a person, on all their devices. The cap also applies to what your
              backend sends, such as order confirmations, unless the backend says otherwise. Silent pushes and tests are not limited.
            </p>
          </div>
        </Card>
        <Card title="Quiet hours">
          <div className="flex flex-col gap-3">
            <Switch
              label="Quiet hours"
              checked={texts.hasQuietHours}
              onChange={(isOn: boolean) => setValue('hasQuietHours', isOn, { shouldDirty: true })}
            />
            {texts.hasQuietHours && (
              <>
                <div className="flex flex-wrap items-start gap-3">
                  <Field label="From" error={errors.quietStart?.message}>
                    {(control) => <TextInput {...control} {...register('quietStart')} type="time" />}
                  </Field>
                  <Field label="To" error={errors.quietEnd?.message}>
                    {(control) => <TextInput {...control} {...register('quietEnd')} type="time" />}
                  </Field>
                  <Field label="During quiet hours" error={errors.quietAction?.message}>
                    {(control) => (
                      <Select
                        {...control}
                        {...register('quietAction')}
                        options={[
                          { value: 'hold', label: 'send when they end' },
                          { value: 'skip', label: 'do not send' },
                        ]}
                      />
                    )}
                  </Field>
                </div>
                <QuietHoursPicture start={texts.quietStart} end={texts.quietEnd} zone={texts.defaultTimezone} />
              </>
            )}
            <p className="text-muted text-sm">
              They apply in each person’s time zone, or the app’s if it is unknown, also to what your backend sends, unless the backend says
              otherwise. Silent pushes and tests are not affected.
            </p>
          </div>
        </Card>
        <Card title="Approval">
          <div className="flex flex-col gap-3">
            <Switch
              label="Require approval for large sends"
              checked={texts.needsApproval}
              onChange={(isOn: boolean) => setValue('needsApproval', isOn, { shouldDirty: true })}
            />
            {texts.needsApproval && (
              <Field label="For sends to more devices than" error={errors.approvalDevices?.message}>
                {(control) => <TextInput {...control} {...register('approvalDevices')} inputMode="numeric" size={9} />}
              </Field>
            )}
            <p className="text-muted text-sm">
              Somebody else must then approve the send. Sends of your backend, with a secret key, need no approval.
            </p>
          </div>
        </Card>
        <MeasureSettings form={form} />
        <div className="flex items-center gap-3">
          <Button needed="settings" type="submit" variant="primary" busy={formState.isSubmitting} disabled={!isChanged}>
            Save the settings
          </Button>
          <span className="text-muted text-sm" role="status">
            {isChanged ? 'Unsaved changes' : 'All changes saved'}
          </span>
        </div>
      </form>
      <LeaveGuard isChanged={isChanged && !formState.isSubmitting} />
    </>
  )
}
