import type { DemoDeviceType } from './types.ts'

type Row = readonly [
  key: string,
  name: string,
  screenSize: string,
  refrigeration: boolean,
  pattern: DemoDeviceType['pattern'],
  dropSensor: boolean,
  kind: DemoDeviceType['kind'],
  maxLevels: number,
  maxRoads: number,
]

const ROWS: readonly Row[] = [
  ['spring40', '弹簧机 40货道', '10.1寸', true, 'spring', true, 'GENERAL', 5, 8],
  ['spring50', '弹簧机 50货道', '21.5寸', true, 'spring', true, 'GENERAL', 5, 10],
  ['spring60', '弹簧机 60货道', '21.5寸', true, 'spring', true, 'GENERAL', 6, 10],
  ['wall24', '壁挂推杆机 24货道', '', false, 'pusher', false, 'GENERAL', 4, 6],
  ['belt36', '履带机 36货道', '15.6寸', true, 'belt', true, 'GENERAL', 6, 6],
  ['lift48', '升降机 48货道', '21.5寸', true, 'lift', true, 'LIFT', 6, 8],
  ['drug60', '售药机 60货道', '32寸', true, 'lift', true, 'DRUG', 6, 10],
  ['flower20', '鲜花机 20格', '32寸', true, 'locker', false, 'FLOWER', 4, 5],
  ['cabinet40', '带屏货柜 40货道', '49寸', true, 'pusher', true, 'CABINET', 5, 8],
]

export const deviceTypes: readonly DemoDeviceType[] = ROWS.map(
  ([key, name, screenSize, refrigeration, pattern, dropSensor, kind, maxLevels, maxRoads]) => ({
    key,
    name,
    screen: screenSize !== '',
    screenSize,
    refrigeration,
    pattern,
    dropSensor,
    kind,
    maxLevels,
    maxRoads,
  }),
)
