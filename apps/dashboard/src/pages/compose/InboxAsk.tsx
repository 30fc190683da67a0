import { useApp } from '../../session/useAppId.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'

/** Lets the operator put a message into people's inboxes. */
export function InboxAsk({
  value,
  onChange,
  isSilent,
  error,
}: {
  value: boolean
  onChange: (inbox: boolean) => void
  isSilent: boolean
  error: string | undefined
}) {
  const { data: app } = useApp()
  const days = app?.settings.inboxDays
  return (
    <div>
      <Checkbox
        label="Also show in the in-app inbox"
        hint={
          isSilent
            ? 'A silent message has nothing to read.'
            : `${days === undefined ? '' : `For ${days} days. `}Opted-out users see it too.`
        }
        checked={value}
        disabled={isSilent && !value}
        onChange={({ target }) => onChange(target.checked)}
      />
      {error !== undefined && <p className="text-sm text-bad">The inbox {error}</p>}
    </div>
  )
}
