import { useApp } from '../../session/useAppId.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'

type Bypass = { frequencyCap: boolean; quietHours: boolean }

/** Lets the operator choose which rules of the app this message does not obey: the frequency cap and the quiet hours. */
export function BypassAsk({ value, onChange }: { value: Bypass; onChange: (value: Bypass) => void }) {
  const { data: app } = useApp()
  const { frequencyCap, quietHours } = app?.settings ?? {}
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium">The app’s rules</legend>
      <Checkbox
        label="Ignore the frequency cap"
        hint={
          frequencyCap
            ? `The cap is ${frequencyCap.max} messages in ${frequencyCap.windowSeconds / 3600} hours.`
            : 'This app has no cap at present.'
        }
        checked={value.frequencyCap}
        onChange={({ target }) => onChange({ ...value, frequencyCap: target.checked })}
      />
      <Checkbox
        label="Ignore quiet hours"
        hint={
          quietHours
            ? `They are from ${quietHours.start} to ${quietHours.end}, in each person’s own time.`
            : 'This app has none at present.'
        }
        checked={value.quietHours}
        onChange={({ target }) => onChange({ ...value, quietHours: target.checked })}
      />
    </fieldset>
  )
}
