import { defaultWindow, errorCode, fail, windowUpdateFrame } from '../frames.ts'
import type { Sender } from './sender.ts'

/**
 * How many bytes a client may send on a connection before the server allows more: as many as 4,000 usual pushes have. It is not larger, so that a
 * client that ignores windows soon exceeds it and is noticed.
 */
const connectionWindow = 1_048_576
/** The window stays closed while `isStalled()` is true, which is asked again after each pause of this length. */
const stalledAgainMs = 20

/** Counts how many bytes a client may still send on the connection, over all streams (RFC 9113, section 5.2). */
export class ReceiveWindow {
  private readonly sender: Sender
  private readonly isStalled: (() => boolean) | undefined
  private left = defaultWindow
  private isOpen = false
  /** Runs while the window is kept closed. */
  private stalled: NodeJS.Timeout | undefined

  constructor(sender: Sender, isStalled: (() => boolean) | undefined) {
    this.sender = sender
    this.isStalled = isStalled
  }

  /** Counts received bytes, and opens the window again when half of it is used. Fails with FLOW_CONTROL_ERROR when the client sent too much. */
  take(bytes: number): void {
    this.left -= bytes
    if (this.left < 0) fail('the connection window was exceeded', errorCode.flowControlError)
    if (this.isOpen && this.left < connectionWindow / 2) this.open()
  }

  /**
   * Opens the window for the first time, after the client's first acknowledgement of SETTINGS. Until then the window is small, which shows which
   * clients ignore windows.
   */
  openFirst(): void {
    if (!this.isOpen) this.open()
  }

  private open(): void {
    if (this.isStalled?.()) {
      this.stalled ??= setTimeout(() => {
        this.stalled = undefined
        this.open()
      }, stalledAgainMs)
      return
    }
    this.isOpen = true
    this.sender.push(windowUpdateFrame(0, connectionWindow - this.left))
    this.left = connectionWindow
  }

  /** Stops the timer of a connection that has ended. */
  forget(): void {
    clearTimeout(this.stalled)
  }
}
