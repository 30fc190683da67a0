/** The texts of <herald-ask>. A language has all of them, in one file that is loaded when it is needed. */
export type Texts = typeof texts

export const texts = {
  heading: 'Get notifications?',
  text: 'We tell you when there is something for you. You can switch it off at any time.',
  yes: 'Yes, please',
  no: 'Not now',
  bell: 'Notifications',
  on: 'Notifications are on.',
  off: 'Notifications are off.',
  turnOn: 'Switch on',
  turnOff: 'Switch off',
  blocked: 'Notifications are blocked. Click the symbol before the address, then allow notifications.',
  home: 'Tap Share, then “Add to Home Screen”, and open the site from there to get notifications.',
  install: 'Install the app',
}
