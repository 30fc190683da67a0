import { useRouter } from '@tanstack/react-router'
import { ButtonLink } from '../ui/ButtonLink.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorNote } from '../ui/ErrorNote.tsx'
import { Page } from '../ui/Page.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'

// What the router shows in the place of a page.

/** Shows grey lines while the code of a page is loaded. */
export function RoutePending() {
  return (
    <div role="status" className="mx-auto w-full max-w-[1200px] px-4 py-6 sm:px-6">
      <span className="sr-only">Loading</span>
      <Skeleton lines={6} />
    </div>
  )
}

/** Says that a page failed: its code could not be loaded, or it has a bug. */
export function PageError({ error }: { error: unknown }) {
  const router = useRouter()
  return (
    <Page title="This page failed" lead="Nothing that you have sent is lost. The other pages work.">
      <ErrorNote error={error} retry={() => void router.invalidate()} />
    </Page>
  )
}

/** Says that an address belongs to no page. */
export function NotFound() {
  return (
    <Page title="There is no such page">
      <Empty title="The address leads nowhere" action={<ButtonLink to="/">Go to the apps</ButtonLink>}>
        It may be mistyped, or what it showed has been deleted.
      </Empty>
    </Page>
  )
}

/** Says that the app in the address was deleted, perhaps a moment ago by somebody else. */
export function AppGone() {
  return (
    <Page title="This app is gone">
      <Empty title="The app was deleted, or its address is wrong" action={<ButtonLink to="/">Go to the apps</ButtonLink>}>
        Its users, devices and campaigns were deleted too. The gateway log shows who deleted it.
      </Empty>
    </Page>
  )
}
