import { defineLocale } from '../../shared/locale.ts'

/** What machines say, in the words of people. */
export const locale = defineLocale(
  {
    enums: {
      faultCode: {
        NO_DROP: '未检测到掉货',
        MOTOR_NOT_IN_PLACE: '电机未到位',
        MOTOR_NOT_MOVE: '电机未转动',
        MOTOR_NOT_RETURN: '电机未回位',
        SENSOR_FAULT: '传感器故障',
        DOOR_OPEN: '柜门未关',
        LANE_FAULT: '货道故障',
        TIMEOUT: '超时',
        TEMP_EXCURSION: '温度超出范围',
        MANY_FAULTS: '故障过多',
        TEMP_HIGH: '温度过高',
        TEMP_LOW: '温度过低',
      },
    },
  },
  {
    enums: {
      faultCode: {
        NO_DROP: 'No drop seen',
        MOTOR_NOT_IN_PLACE: 'Motor not in place',
        MOTOR_NOT_MOVE: 'Motor did not move',
        MOTOR_NOT_RETURN: 'Motor did not return',
        SENSOR_FAULT: 'Sensor fault',
        DOOR_OPEN: 'Door open',
        LANE_FAULT: 'Lane fault',
        TIMEOUT: 'Time-out',
        TEMP_EXCURSION: 'Temperature out of range',
        MANY_FAULTS: 'Many faults at once',
        TEMP_HIGH: 'Too warm',
        TEMP_LOW: 'Too cold',
      },
    },
  },
)
