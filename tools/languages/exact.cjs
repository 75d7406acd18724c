// Makes the runtime of Kaitai Struct exact: numbers that 53 bits cannot have are BigInt, not rounded,
// a position outside the stream is an error, not the nearest one inside, and so is any length
// beyond its end, not the lowest 32 bits of it.
'use strict';
const KaitaiStream = require('kaitai-struct/KaitaiStream');

for (const [name, get] of [['readU8', 'getBigUint64'], ['readS8', 'getBigInt64']]) {
  for (const [order, little] of [['be', false], ['le', true]]) {
    KaitaiStream.prototype[name + order] = function () {
      this.ensureBytesLeft(8);
      this.pos += 8;
      const exact = DataView.prototype[get].call(this.dataView, this.pos - 8, little);
      return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
    };
  }
}

KaitaiStream.prototype.seek = function (pos) {
  if (pos < 0 || pos > this.size) throw new RangeError(`position ${pos} is not in ${this.size} bytes`);
  this.pos = Number(pos);
};

const {mapUint8Array} = KaitaiStream.prototype;
KaitaiStream.prototype.mapUint8Array = function (length) {
  this.ensureBytesLeft(length);
  return mapUint8Array.call(this, length);
};
