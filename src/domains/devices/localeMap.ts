/** Texts of the fleet map; locale.ts puts them together with the rest. */
export const zh = {
  map: {
    title: '设备地图',
    switch: '显示方式',
    list: '列表',
    map: '地图',
    unlocated: '未定位 {n} 台',
    group: '{n} 台设备：{states}',
    here: '此处 {n} 台设备',
    machines: '地图上的设备',
    failed: '设备位置未能载入',
    state: { fault: '故障', offline: '离线', soldOut: '缺货', fine: '正常', idle: '未运营' },
  },
}
export const en = {
  map: {
    title: 'Device map',
    switch: 'Show as',
    list: 'List',
    map: 'Map',
    unlocated: '{n} without a position',
    group: '{n} devices: {states}',
    here: '{n} devices here',
    machines: 'Devices on the map',
    failed: 'The positions of devices',
    state: {
      fault: 'Fault',
      offline: 'Offline',
      soldOut: 'Sold out',
      fine: 'Fine',
      idle: 'Not in use',
    },
  },
}
