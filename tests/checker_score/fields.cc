#include "tests/checker_score/fields.h"

#include <span>

namespace tornleaf {
namespace checker_score {

const char* NameOf(Region region) {
  switch (region) {
    case Region::kHeader:
      return "header";
    case Region::kLinePointers:
      return "line pointers";
    case Region::kHole:
      return "hole";
    case Region::kTuple:
      return "tuple bytes";
    case Region::kSpecial:
      return "special area";
    case Region::kMetaPage:
      return "metapage";
    case Region::kDeletedPage:
      return "deleted page";
    case Region::kNewPage:
      return "new page";
  }
  CHECK(false);
}

namespace {

class FieldLister {
 public:
  explicit FieldLister(const IndexModel& index) : index_(index) {}

  std::vector<FieldSpan> List() {
    for (block_ = 0; block_ < index_.block_count(); ++block_) ListPage();
    return std::move(fields_);
  }

 private:
  void ListPage() {
    const PageModel& model = index_.page(block_);
    if (model.state == PageState::kNew) {
      Add(Region::kNewPage, "zero bytes", 0, index_.page_size());
      return;
    }
    const PageView view = model.page.page();
    AddTable(Region::kHeader, slotted_v4::kHeader, 0);
    if (model.state == PageState::kMeta) {
      AddTable(Region::kMetaPage, nbtree::kMetaFields, 0);
    } else if (model.state == PageState::kDeleted) {
      Add(Region::kDeletedPage, nbtree::kSafeXid.name, nbtree::kSafeXid.offset,
          nbtree::kSafeXid.size);
      Add(Region::kDeletedPage, "leftover bytes", view.lower(), view.upper() - view.lower());
    } else {
      ListItems(view);
    }
    if (model.state != PageState::kDeleted) {
      Add(Region::kHole, "hole", view.lower(), view.upper() - view.lower());
    }
    AddTable(Region::kSpecial, nbtree::kOpaque, view.special());
  }

  void ListItems(PageView view) {
    for (slot_ = 1; slot_ <= view.item_count(); ++slot_) {
      for (const BitField& part : slotted_v4::kLinePointer) {
        FieldSpan field{Region::kLinePointers,         part.name, block_, slot_,
                        view.LinePointerOffset(slot_), 4};
        field.shift = part.shift;
        field.width = part.width;
        fields_.push_back(field);
      }
      base_ = view.line_pointer(slot_).offset;
      ListTuple();
    }
    slot_ = 0;
  }

  void ListTuple() {
    const TupleView tuple = index_.Tuple(block_, slot_);
    const ItemRole role = index_.RoleOf(block_, slot_);
    const bool leaf_data = role == ItemRole::kLeafData;
    const bool posting = nbtree::KindOf(tuple) == nbtree::TupleKind::kPosting;
    const char* const block_name = posting                      ? "posting offset"
                                   : leaf_data                  ? "heap TID, block"
                                   : role == ItemRole::kHighKey ? "high key, leftover block"
                                   : role == ItemRole::kDummy   ? "half-dead, top parent"
                                                                : "downlink";
    AddTuple(block_name, 0, 2);
    AddTuple(block_name, 2, 4);
    AddTuple(posting     ? "posting count"
             : leaf_data ? "heap TID, offset"
                         : "pivot, attribute count",
             4, 6);
    AddTuple(leaf_data ? "leaf t_info" : "pivot t_info", 6, 8);
    std::uint32_t at = index_tuple::kHeaderSize;
    if (tuple.has_nulls()) {
      AddTuple("null bitmap", at, at + index_tuple::kNullBitmapSize);
      AddTuple("padding", at + index_tuple::kNullBitmapSize, tuple.data_offset());
      at = tuple.data_offset();
    }
    const std::uint32_t key_end = nbtree::KeyEnd(tuple);
    const std::uint32_t count =
        leaf_data ? index_.schema().attribute_count() : nbtree::PivotAttributeCount(tuple);
    at = ListAttributes(tuple, leaf_data, count, at);
    AddTuple("padding", at, key_end);
    ListTids(tuple, posting, key_end);
  }

  // Walks the attributes as the format says; returns where they end.
  std::uint32_t ListAttributes(TupleView tuple, bool leaf_data, std::uint32_t count,
                               std::uint32_t at) {
    for (std::uint32_t index = 0; index < count; ++index) {
      const bool null = tuple.has_nulls() && (tuple.data()[8 + index / 8] >> (index % 8) & 1) == 0;
      if (null) continue;
      const Attribute& attribute = index_.schema().attribute(index);
      const char* const name = index >= index_.schema().key_count() ? "included value"
                               : leaf_data                          ? "leaf key value"
                                                                    : "pivot key value";
      const bool unaligned = attribute.length == kVarlena && tuple.data()[at] != 0;
      const std::uint32_t begin = unaligned ? at : AlignUp(at, attribute.alignment);
      AddTuple("padding", at, begin);
      std::uint32_t payload = begin;
      if (attribute.length > 0) {
        at = begin + static_cast<std::uint32_t>(attribute.length);
      } else if (attribute.length == kCString) {
        for (at = begin; tuple.data()[at] != 0;) ++at;
        ++at;
      } else if ((tuple.data()[begin] & 1) != 0) {
        payload = begin + 1;
        at = begin + (tuple.data()[begin] >> 1);
      } else {
        const auto header = LoadLittleEndian<std::uint32_t>(tuple.data() + begin);
        payload = begin + ((header & 2) != 0 ? 8 : 4);
        at = begin + (header >> 2);
      }
      AddTuple("varlena header", begin, payload);
      AddTuple(name, payload, at);
    }
    return at;
  }

  void ListTids(TupleView tuple, bool posting, std::uint32_t at) {
    if (posting) {
      for (std::uint32_t index = 0; index < nbtree::PostingCount(tuple); ++index) {
        AddTuple("posting TID, block", at, at + 2);
        AddTuple("posting TID, block", at + 2, at + 4);
        AddTuple("posting TID, offset", at + 4, at + 6);
        at += index_tuple::kTidSize;
      }
      AddTuple("padding", at, tuple.stored_size());
    } else if (at < tuple.stored_size()) {
      AddTuple("padding", at, at + 2);
      AddTuple("pivot TID, block", at + 2, at + 4);
      AddTuple("pivot TID, block", at + 4, at + 6);
      AddTuple("pivot TID, offset", at + 6, at + 8);
    }
  }

  void AddTuple(const char* name, std::uint32_t begin, std::uint32_t end) {
    if (begin < end)
      fields_.push_back({Region::kTuple, name, block_, slot_, base_ + begin, end - begin});
  }

  void Add(Region region, const char* name, std::uint32_t begin, std::uint32_t size) {
    if (size > 0) fields_.push_back({region, name, block_, 0, begin, size});
  }

  void AddTable(Region region, std::span<const Field> table, std::uint32_t base) {
    for (const Field& field : table) Add(region, field.name, base + field.offset, field.size);
  }

  const IndexModel& index_;
  std::vector<FieldSpan> fields_;
  BlockNumber block_ = 0;
  OffsetNumber slot_ = 0;
  std::uint32_t base_ = 0;
};

}  // namespace

std::vector<FieldSpan> FieldsOf(const IndexModel& index) { return FieldLister(index).List(); }

}  // namespace checker_score
}  // namespace tornleaf
