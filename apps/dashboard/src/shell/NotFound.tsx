import { ButtonLink } from '../ui/ButtonLink.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Page } from '../ui/Page.tsx'

/** Shown for an address that belongs to no page. */
export function NotFound() {
  return (
    <Page title="There is no such page">
      <Empty title="The address leads nowhere" action={<ButtonLink to="/">Go to the apps</ButtonLink>}>
        It may be mistyped, or what it showed has been deleted.
      </Empty>
    </Page>
  )
}
