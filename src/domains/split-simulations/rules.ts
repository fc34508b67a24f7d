import { defineErrors } from '../../shared/errors.ts'
import { allowedFrom, defineStates } from '../../shared/moves.ts'

export const simulationErrors = defineErrors('splitSimulations', {
  tooMany: [
    422300,
    '超过{most}件，请缩小时间或设备范围',
    'More than {most} pieces: choose a shorter time or fewer machines',
  ],
  nothingSold: [422301, '所选范围内没有销售', 'Nothing was sold there'],
  openLimit: [422302, '已有{n}个模拟在进行，请稍后再试', '{n} simulations are under way already'],
  noVersion: [422303, '请选择版本', 'Choose a version'],
  ended: [422304, '模拟已结束', 'It has ended'],
  wrongMachines: [422305, '设备不属于该机构', 'Machines of another organisation'],
})

export const limits = { units: 500_000, days: 90, open: 3, keepDays: 90, slice: 1000 } as const

export type SimulationState = 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED'
export const simulationStates = defineStates<SimulationState>({
  name: 'splitSimulations.state',
  column: 'split_simulations.state',
  start: ['QUEUED'],
  moves: {
    QUEUED: ['RUNNING', 'CANCELLED', 'FAILED'],
    // a worker that was killed loses its lease; another one begins anew
    RUNNING: ['RUNNING', 'DONE', 'FAILED', 'CANCELLED'],
    DONE: [],
    FAILED: [],
    CANCELLED: [],
  },
})
export const simulationFrom = (next: SimulationState): SimulationState[] =>
  allowedFrom(simulationStates, next)
