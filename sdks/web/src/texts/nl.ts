import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Meldingen ontvangen?',
  text: 'We laten het weten als er iets voor je is. Je kunt ze altijd uitzetten.',
  yes: 'Ja, graag',
  no: 'Nu niet',
  bell: 'Meldingen',
  on: 'Meldingen staan aan.',
  off: 'Meldingen staan uit.',
  turnOn: 'Aanzetten',
  turnOff: 'Uitzetten',
  blocked: 'Meldingen zijn geblokkeerd. Klik op het symbool voor het adres en sta ze toe.',
  home: 'Tik op Deel, dan op ‘Zet op beginscherm’, en open de site vanaf daar.',
  install: 'App installeren',
}
