import { useBlocker } from '@tanstack/react-router'
import { Confirm } from '../../ui/Confirm.tsx'

/** When there are unsaved changes, asks the operator before the page is left by a link, by Back or by closing the tab. */
export function LeaveGuard({ isChanged }: { isChanged: boolean }) {
  const blocker = useBlocker({ shouldBlockFn: () => isChanged, enableBeforeUnload: isChanged, withResolver: true })
  return (
    <Confirm
      open={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Leave without saving?"
      action="Discard changes"
      danger
      onConfirm={async () => {
        blocker.proceed?.()
      }}
    >
      What was changed here is not saved yet.
    </Confirm>
  )
}
