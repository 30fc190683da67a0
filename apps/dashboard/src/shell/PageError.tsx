import { useRouter } from '@tanstack/react-router'
import { ErrorNote } from '../ui/ErrorNote.tsx'
import { Page } from '../ui/Page.tsx'

/** Shown when a page itself fails: its code could not be loaded, or it has a bug. */
export function PageError({ error }: { error: unknown }) {
  const router = useRouter()
  return (
    <Page title="This page failed" lead="Nothing that you have sent is lost. The other pages work.">
      <ErrorNote error={error} retry={() => void router.invalidate()} />
    </Page>
  )
}
