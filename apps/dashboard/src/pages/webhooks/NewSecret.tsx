import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Secret } from '../../ui/Secret.tsx'

/** Shows the secret of an endpoint once, after it was made. */
export function NewSecret({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      footer={
        <Button variant="primary" onClick={onClose}>
          I have kept it
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <p>
          With this secret your receiver verifies that a delivery comes from Herald. It is shown this once: keep it where your backend keeps
          its secrets.
        </p>
        <Secret text={secret} />
      </div>
    </Dialog>
  )
}
