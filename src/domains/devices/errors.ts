import { defineErrors } from '../../shared/errors.ts'

export const deviceErrors = defineErrors('devices', {
  numberTaken: [409004, '机器编号已存在', 'This machine number exists already'],
  numbersTaken: [
    409004,
    '机器编号已存在：{numbers}',
    'These machine numbers exist already: {numbers}',
  ],
  boardTaken: [409004, '该主板已绑定其他设备', 'This board belongs to another device'],
  cardTaken: [409004, '该物联卡已绑定其他设备', 'This SIM card belongs to another device'],
  widthOverflow: [400001, '编号位数不足', 'The number has too few digits for this many devices'],
  unknownRegion: [400001, '请选择所在地区', 'Choose the region'],
  typeFixed: [422001, '更换类型前请先重建货道', 'Rebuild the lanes before you change the type'],
  typeDiffers: [422001, '机型用途与设备类型不符', 'The purpose does not fit the device type'],
  modeByTwo: [
    422001,
    '售药方式须由两人确认变更：请在设备详情中发起',
    'Two people agree on another way of dispensing: ask for it in the details of the machine',
  ],
  licenceMissing: [400001, '请填写药品经营许可证信息', 'Enter the drug licence'],
  closed: [
    422001,
    '设备已外售或报废，不能修改',
    'The device was sold or scrapped and cannot be changed',
  ],
  wrongMove: [409001, '当前经营状态不能执行该操作', 'Not possible in the present business state'],
  notReady: [
    422001,
    '投入运营前须绑定主板并至少启用一个有商品的货道',
    'Bind a board and enable a lane with a product first',
  ],
  licenceElsewhere: [422001, '许可证地址与设备地址不一致', 'The licence is for another address'],
  faultClosed: [409001, '该故障已处理', 'This fault is already handled'],
  ownerKind: [422001, '该机构不能拥有设备', 'This organisation cannot own devices'],
  boardDisabled: [422001, '该主板已停用，请先启用', 'This board is disabled; enable it first'],
  openOrder: [422001, '设备有未完成的订单，不能操作', 'The device has unfinished orders'],
  stockLeft: [
    422001,
    '设备仍有{n}件库存，请先清空',
    'The device still holds {n} pieces; empty it first',
  ],
  numberWrong: [422001, '机器编号不一致', 'This is not the number of the machine'],
  tagElsewhere: [422001, '标签不属于该设备的所属用户', 'The tags belong to another owner'],
  mostTags: [422001, '一台设备最多{n}个标签', 'A machine carries at most {n} tags'],
  storeElsewhere: [422001, '门店不属于该设备的所属用户', 'The store belongs to another owner'],
})
