import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: '¿Recibir notificaciones?',
  text: 'Te avisamos cuando haya algo para ti. Puedes desactivarlas en cualquier momento.',
  yes: 'Sí, gracias',
  no: 'Ahora no',
  bell: 'Notificaciones',
  on: 'Las notificaciones están activadas.',
  off: 'Las notificaciones están desactivadas.',
  turnOn: 'Activar',
  turnOff: 'Desactivar',
  blocked: 'Las notificaciones están bloqueadas. Haz clic en el símbolo delante de la dirección y permítelas.',
  home: 'Toca Compartir, luego «Añadir a pantalla de inicio», y abre el sitio desde allí.',
  install: 'Instalar la aplicación',
}
